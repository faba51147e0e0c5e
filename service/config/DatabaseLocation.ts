/** The database of the service, as its setting names it: only this file distinguishes SQLite from PostgreSQL. */

import { splitHosts } from "./PostgresUrl.ts"

export interface DatabaseLocation {
  /** True for a PostgreSQL server, which replicas share. SQLite belongs to one process. */
  readonly isServer: boolean
  /** Path of the SQLite file; undefined on a server, and in memory. */
  readonly file: string | undefined
  /** The setting without a password: for logs, messages and lists. */
  readonly label: string
}

const IN_MEMORY = ":memory:"

const withoutPassword = (url: string): string => {
  const { each, hosts, single } = splitHosts(url)
  if (!hosts.map(single).every((one) => URL.canParse(one))) return "postgres://(unreadable, not shown)"
  return each((one) => {
    const redacted = new URL(one)
    if (redacted.password !== "") redacted.password = "***"
    for (const word of ["password", "sslpassword"]) {
      if (redacted.searchParams.has(word)) redacted.searchParams.set(word, "***")
    }
    return redacted.href
  })
}

/** The location that a setting names: a file path, `:memory:`, or a URL of PostgreSQL. */
export const locate = (setting: string): DatabaseLocation =>
  /^postgres(ql)?:\/\//.test(setting)
    ? { isServer: true, file: undefined, label: withoutPassword(setting) }
    : { isServer: false, file: setting === IN_MEMORY ? undefined : setting, label: setting }
