/** The operator who runs a command, for the audit log. */
import { readFileSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import type { Actor } from "../domain/AuditEntry.ts"

/**
 * Stated by the command itself. Node.js cannot ask a Unix socket for the user at its other end; the socket's mode
 * admits only the service's user and root, who could change the log's database file as well.
 */
export interface Operator {
  /** Name of the user that the command runs as. */
  readonly user: string
  /** Name or number of the user who logged in, before `su` or `sudo`; null if it is unknown or the same. */
  readonly login: string | null
  /** Name of the host. */
  readonly host: string
}

/** The kernel's value for a process that no login started. */
const NO_LOGIN = "4294967295"

const readOptional = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch { // not Linux, or not readable
    return ""
  }
}

/** The name of a user's number; the number itself if it has none. */
const nameOf = (uid: string): string => {
  const entry = readOptional("/etc/passwd").split("\n").find((line) => line.split(":")[2] === uid)
  return entry?.split(":")[0] ?? `uid ${uid}`
}

/** The kernel keeps the user who logged in through `su` and `sudo`; only root can change it. */
const loginName = (): string | null => {
  const uid = readOptional("/proc/self/loginuid").trim()
  return uid === "" || uid === NO_LOGIN ? null : nameOf(uid)
}

const userName = (): string => {
  try {
    return userInfo().username
  } catch { // a number without an entry, as in containers
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

/** The operator who runs this process. */
export const thisOperator = (): Operator => {
  const [user, login] = [userName(), loginName()]
  return { user, login: login === user ? null : login, host: hostname() }
}

/** The operator as the author of an act. */
export const actorOf = ({ host, login, user }: Operator): Actor => ({
  kind: "command",
  personId: null,
  name: login === null ? user : `${login} as ${user}`,
  from: host,
  requestId: null
})

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** The operator that a request on the socket states; an unknown one if it states none. */
export const statedOperator = (stated: unknown): Operator => {
  const { host, login, user } = (typeof stated === "object" && stated !== null ? stated : {}) as Partial<Operator>
  return {
    user: isText(user) ? user : "unknown",
    login: isText(login) ? login : null,
    host: isText(host) ? host : hostname()
  }
}
