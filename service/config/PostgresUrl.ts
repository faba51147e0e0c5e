/** The parameters of a PostgreSQL URL, checked before any connection is opened. */
import { InvalidSetting } from "./Setting.ts"

/**
 * The modes of TLS, as libpq defines them (psql, pg_dump, and the URLs that database providers hand out).
 * - `disable`: no TLS.
 * - `prefer`: TLS if the server supports it, without a check of its certificate. The default.
 * - `require`: TLS; the signer is checked only if `sslrootcert` names a CA.
 * - `verify-ca`: the certificate is signed by `sslrootcert`, for any host name.
 * - `verify-full`: the certificate is for this host, and signed by `sslrootcert`, or else by a CA that Node trusts.
 */
const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const

/** The default of libpq. */
const DEFAULT_MODE = "prefer"

/** The CAs that Node trusts, instead of a file. */
export const SYSTEM = "system"

/** TLS is negotiated in PostgreSQL's protocol, or starts directly (from version 17 on). */
export const POSTGRES = "postgres"
export const DIRECT = "direct"

/** Every TLS parameter of a URL, with libpq's environment variable for its default. */
const WORDS: Readonly<Record<string, string | undefined>> = {
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  sslpassword: undefined,
  sslnegotiation: "PGSSLNEGOTIATION",
  // Of `pg`: it requests what this file does anyway.
  uselibpqcompat: undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Scheme and user, hosts, and all else. A URL of several hosts is libpq's alone: no parser of URLs takes it. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)([\s\S]*)$/i

/** The hosts of a URL, in the order in which they are tried, and the URL of each. */
export const splitHosts = (url: string) => {
  const [, before = "", hosts = "", after = ""] = PARTS.exec(url) ?? []
  const [first = "", ...others] = hosts.split(",")
  return {
    hosts: [first, ...others] as const,
    single: (host: string) => `${before}${host}${after}`,
    /** The same change for all of them. */
    each: (change: (single: string) => string) => {
      const changed = splitHosts(change(`${before}${first}${after}`))
      return changed.single([changed.hosts[0], ...others].join(","))
    }
  }
}

/** The same URL with the values of libpq's variables; its own parameters take precedence. */
const withVariables = (url: string, environment: Environment): string => {
  const said = new URL(url)
  for (const [word, variable] of Object.entries(WORDS)) {
    const value = variable === undefined ? undefined : environment[variable]
    if (value !== undefined && value !== "" && !said.searchParams.has(word)) said.searchParams.set(word, value)
  }
  return said.search === new URL(url).search ? url : said.href
}

/** The parameters that `pg` takes from a URL, and so applies. */
const OF_PG = new Set(["host", "port", "user", "password", "application_name", "options"])

/** A parameter of libpq whose listed values say what the service does anyway. */
const SAME: Readonly<Record<string, ReadonlyArray<string>>> = {
  client_encoding: ["utf8", "utf-8", "auto"],
  channel_binding: ["disable", "prefer"],
  gssencmode: ["disable", "prefer"],
  keepalives: ["1"],
  load_balance_hosts: ["disable"],
  uselibpqcompat: ["true"]
}

/** A session has to be able to write, so that those of libpq for reading make no sense. */
const TARGETS = ["any", "read-write", "primary"] as const

/** The sessions to keep: any other one is closed, and the next host is tried. */
export type Target = (typeof TARGETS)[number]

const TARGET = "target_session_attrs"
const CONNECT_TIMEOUT = "connect_timeout"

/** libpq waits for at least 2 s. */
const CONNECT_MIN_SECONDS = 2

/** The URL for `pg`: without the parameters that it would ignore, or take for something else. */
export const forPg = (url: string): string => {
  const bare = new URL(url)
  for (const word of new Set(bare.searchParams.keys())) if (!OF_PG.has(word)) bare.searchParams.delete(word)
  return bare.href
}

/** The parameters of a URL of one host that say which sessions are opened. */
export const sessionsOf = (url: string): { readonly target: Target; readonly connectMillis: number | undefined } => {
  const { searchParams } = new URL(url)
  const target = searchParams.get(TARGET)
  const seconds = Number(searchParams.get(CONNECT_TIMEOUT) ?? 0)
  return {
    target: TARGETS.find((known) => known === target) ?? "any",
    connectMillis: seconds === 0 ? undefined : Math.max(seconds, CONNECT_MIN_SECONDS) * 1_000
  }
}

/** Advice about parameters that are not supported. */
const ADVICE: Readonly<Record<string, string>> = {
  channel_binding: "use sslmode=verify-full, which protects against impersonation, too",
  statement_timeout: "set VPS_SERVICE_DATABASE_STATEMENT_MILLIS",
  connectionTimeoutMillis: "use connect_timeout, in seconds",
  dbname: "write the database as the path of the URL",
  sslcrl: "revoke certificates at their CA, and rotate it"
}

/** The problem of a parameter that would be ignored, and what to do; undefined when there is none. */
const problemOfWord = (word: string, values: ReadonlyArray<string>): string | undefined => {
  const [value = ""] = values
  if (values.length > 1) return `${word} is written ${values.length} times; write it once`
  if (Object.hasOwn(WORDS, word) && word !== "uselibpqcompat" || OF_PG.has(word) || word === "ssl") return
  if (word === TARGET) {
    if (TARGETS.some((known) => known === value)) return
    return `${TARGET}=${value} is of no use, because the service writes; use ${TARGET}=read-write`
  }
  if (word === CONNECT_TIMEOUT) {
    return /^[1-9]\d{0,3}$/.test(value)
      ? undefined
      : `${CONNECT_TIMEOUT} should be a whole number of seconds from 1 to 9999`
  }
  const same = SAME[word]
  if (same?.includes(value.toLowerCase()) === true) return
  const advice = ADVICE[word] ?? (same === undefined ? "remove it" : `remove it, or use ${word}=${same[0]}`)
  return same === undefined ? `${word} is not supported; ${advice}` : `${word}=${value} is not supported; ${advice}`
}

/** The problem of what a URL of one host says besides its TLS; undefined when all of it is applied. */
const problemOfWords = (url: string, hosts: ReadonlyArray<string>): string | undefined => {
  const { hash, searchParams } = new URL(url)
  if (hash !== "") return "what follows # would be ignored; percent-encode a # of the password as %23"
  for (const word of new Set(searchParams.keys())) {
    const problem = problemOfWord(word, searchParams.getAll(word))
    if (problem !== undefined) return problem
  }
  if (hosts.length === 1) {
    return ["host", "port"].some((word) => searchParams.get(word)?.includes(",") === true)
      ? "several hosts should be written before the database, like postgres://user@one:5432,two:5432/database"
      : undefined
  }
  if (["host", "port"].some((word) => searchParams.has(word))) return "host and port go with a single host; remove them"
  return sessionsOf(url).target === "any"
    ? `several hosts need ${TARGET}=read-write: the service writes, and a standby would be as good as the primary`
    : undefined
}

/** The TLS parameters of a URL. */
export const tlsOf = (url: string) => {
  const { searchParams } = new URL(url)
  const word = (name: string) => searchParams.get(name) ?? undefined
  return {
    mode: word("sslmode") ?? DEFAULT_MODE,
    root: word("sslrootcert"),
    cert: word("sslcert"),
    key: word("sslkey"),
    passphrase: word("sslpassword"),
    negotiation: word("sslnegotiation") ?? POSTGRES,
    other: word("ssl")
  }
}

/** The problem of an invalid combination, and what to do; undefined when it is valid. */
const problemOf = (url: string): string | undefined => {
  const { cert, key, mode, negotiation, other, root } = tlsOf(url)
  if (other !== undefined) return `ssl=${other} is not supported; use sslmode=verify-full, or another sslmode`
  if (!MODES.some((known) => known === mode)) return `sslmode=${mode} should be one of ${MODES.join(", ")}`
  if (mode === "prefer" && root !== undefined) {
    return "sslmode=prefer ignores sslrootcert; use sslmode=verify-full"
  }
  if (mode === "verify-ca" && root === undefined) {
    return "sslmode=verify-ca requires sslrootcert, the file of the CA that signed the server's certificate; "
      + "otherwise use sslmode=verify-full"
  }
  if (root === SYSTEM && (mode === "require" || mode === "verify-ca")) {
    return "sslrootcert=system trusts public CAs, so it requires sslmode=verify-full"
  }
  if ((cert === undefined) !== (key === undefined)) return "sslcert and sslkey require each other; set both"
  if (negotiation === POSTGRES || (negotiation === DIRECT && mode !== "disable" && mode !== "prefer")) return
  return "sslnegotiation should be postgres, or direct with sslmode=require or stronger"
}

const reject = (message: string): never => {
  throw new InvalidSetting({ message })
}

const NAMED = "--database (VPS_SERVICE_DATABASE)"

/**
 * The URL with the values of libpq's variables.
 * @throws InvalidSetting when it is invalid; the message does not show the URL, which may contain a password
 */
export const wholeUrl = (
  { database, emulator }: { readonly database: string; readonly emulator: boolean },
  environment: Environment
): string => {
  const { each, hosts, single } = splitHosts(database)
  const isComplete = (url: string): boolean => URL.canParse(url) && new URL(url).pathname.length > 1
  if (!hosts.map(single).every(isComplete) || hosts.length > 1 && hosts.includes("")) {
    reject(
      `${NAMED} should be like postgres://user:password@host:port/database, with special characters in the password `
        + "percent-encoded (%40 for @)."
    )
  }
  if (emulator) {
    reject(
      "--emulator (VPS_SERVICE_EMULATOR) requires a database in memory or in a file, because its clock is part of one "
        + `process. Omit ${NAMED}, or omit --emulator: instances on PostgreSQL are simulated, too.`
    )
  }
  const url = each((one) => withVariables(one, environment))
  const first = splitHosts(url).single(hosts[0])
  const problem = problemOfWords(first, hosts) ?? problemOf(first)
  return problem === undefined ? url : reject(`${NAMED}, with libpq's variables: ${problem}.`)
}
