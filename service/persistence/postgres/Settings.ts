/** The parameters of a PostgreSQL URL, checked before any connection is opened. */
import { InvalidSetting } from "../../config/Setting.ts"

/**
 * As libpq means them (psql, pg_dump, and the URLs that hosters of databases hand out).
 * - `disable`: without.
 * - `prefer`: with, when the server has it; what is shown is not looked at. What holds when nothing is said.
 * - `require`: with; looked at is only who signed, and only when `sslrootcert` names a CA.
 * - `verify-ca`: signed by `sslrootcert`, for any name.
 * - `verify-full`: for this host, and signed by `sslrootcert`, or else by one of those that Node trusts.
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

/** The correction of an invalid combination; undefined when there is none. */
const problemOf = (url: string): string | undefined => {
  const { cert, key, mode, negotiation, other, root } = tlsOf(url)
  if (other !== undefined) return `ssl=${other} is not understood; write sslmode=verify-full, or another sslmode`
  if (!MODES.some((known) => known === mode)) return `sslmode=${mode} should be one of ${MODES.join(", ")}`
  if (mode === "prefer" && root !== undefined) {
    return "sslrootcert would not be looked at; write sslmode=verify-full with it"
  }
  if (mode === "verify-ca" && root === undefined) {
    return "sslmode=verify-ca needs sslrootcert=, the file of the CA that signs for the server; or write "
      + "sslmode=verify-full"
  }
  if (root === SYSTEM && (mode === "require" || mode === "verify-ca")) {
    return "sslrootcert=system trusts public CAs, so it requires sslmode=verify-full"
  }
  if ((cert === undefined) !== (key === undefined)) return "sslcert and sslkey belong together; give both"
  if (negotiation === POSTGRES || (negotiation === DIRECT && mode !== "disable" && mode !== "prefer")) return
  return "sslnegotiation should be postgres, or direct with sslmode=require or stronger"
}

const refuse = (message: string): never => {
  throw new InvalidSetting({ message })
}

const NAMED = "--database (VPS_SERVICE_DATABASE)"

/**
 * The URL with what libpq's variables add.
 * @throws InvalidSetting when it makes no sense; the message shows no URL, which may hold a password
 */
export const wholeUrl = (
  { database, emulator }: { readonly database: string; readonly emulator: boolean },
  environment: Environment
): string => {
  if (!URL.canParse(database) || new URL(database).pathname.length < 2) {
    refuse(
      `${NAMED} should be like postgres://user:password@host:port/database, with what is special in the password `
        + "written as in any URL (%40 for @)."
    )
  }
  if (emulator) {
    refuse(
      "--emulator (VPS_SERVICE_EMULATOR) needs a database of its own, in memory or a file: its clock lives in one "
        + `process. Leave out ${NAMED}, or --emulator: the machines are simulated on PostgreSQL as well.`
    )
  }
  const url = withVariables(database, environment)
  const problem = problemOf(url)
  return problem === undefined ? url : refuse(`${NAMED}, with libpq's variables: ${problem}.`)
}
