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

/** The same URL with the values of libpq's variables; its own parameters take precedence. */
const withVariables = (url: string, environment: Environment): string => {
  const said = new URL(url)
  for (const [word, variable] of Object.entries(WORDS)) {
    const value = variable === undefined ? undefined : environment[variable]
    if (value !== undefined && value !== "" && !said.searchParams.has(word)) said.searchParams.set(word, value)
  }
  return said.search === new URL(url).search ? url : said.href
}

/** The same URL without TLS parameters. */
export const withoutTls = (url: string): string => {
  const bare = new URL(url)
  for (const word of Object.keys(WORDS)) bare.searchParams.delete(word)
  return bare.href
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
  if (!URL.canParse(database) || new URL(database).pathname.length < 2) {
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
  const url = withVariables(database, environment)
  const problem = problemOf(url)
  return problem === undefined ? url : reject(`${NAMED}, with libpq's variables: ${problem}.`)
}
