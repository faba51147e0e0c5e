/** Errors at the start on a PostgreSQL database, with the remedy. They never show the password. */
import { splitHosts } from "../../config/PostgresUrl.ts"
import { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { describe, kindOf, sqlState } from "./Failures.ts"
import { TlsUnusable } from "./Tls.ts"

/** For messages: the name and the host of the database at a URL. */
export const nameOf = (url: string): string => {
  const { hosts, single } = splitHosts(url)
  const { host, pathname } = new URL(single(hosts[0]))
  return `The database "${pathname.slice(1)}" at ${hosts.length > 1 ? hosts.join(" or ") : host || "the local socket"}`
}

/** The operator has to change something; the message is for them. */
export class Unsuitable extends Error {}

/** The configuration of a server or a pooler lacks a necessary feature; the message is for the operator. */
export class Misconfigured extends Unsuitable {}

const SETTING = "--database (VPS_SERVICE_DATABASE)"

type Meaning = (name: string, reason: string) => string

/** PostgreSQL's message when TLS is missing. */
const WITHOUT_TLS = /no encryption/

const rejected: Meaning = (name, reason) =>
  WITHOUT_TLS.test(reason)
    ? `${name} takes this user with TLS only: ${reason}. Write sslmode=verify-full, with sslrootcert= for a CA of your `
      + `own, in ${SETTING}.`
    : `${name} rejects this user: ${reason}. Check its pg_hba.conf and ${SETTING}; a client certificate is set there `
      + "with sslcert= and sslkey=."

const MEANINGS: Readonly<Record<string, Meaning>> = {
  "28P01": (name) => `${name} does not accept this user's password. Check ${SETTING}.`,
  "28000": rejected,
  "3D000": (name) => `${name} does not exist on that server. Create it with createdb, or name another with --database.`,
  "42501": (name, reason) => `${name} does not let this user create tables: ${reason}. Make the user its owner.`,
  "25006": (name) =>
    `${name} can only be read: it is a standby, or default_transaction_read_only is on. Name the primary with `
    + "--database, or turn that off.",
  "53300": (name) => `${name} has no connection left: raise its max_connections, or lower DATABASE_CONNECTIONS.`
}

/** Node's codes for an untrusted certificate. */
const UNTRUSTED = /^(CERT_|DEPTH_ZERO_|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/

const OUT_OF_DATE = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"])

/** `pg` gives it no code. */
const NO_TLS = "The server does not support SSL connections"

/** Punctuation at the end of a quoted message, which ours continues. */
const ENDS = ".: "

const withoutEnd = (sentence: string): string => {
  let end = sentence.length
  while (end > 0 && ENDS.includes(sentence[end - 1]!)) end--
  return sentence.slice(0, end)
}

/** Undefined when it is not about TLS. */
const tlsMeaning = (code: string, reason: string): Meaning | undefined => {
  if (reason === NO_TLS) {
    return (name) =>
      `${name} has no TLS, and sslmode in ${SETTING} requires it. Turn it on there (ssl = on), or write `
      + "sslmode=disable on a trusted network."
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return (name) =>
      `${name} shows a certificate for another host: ${withoutEnd(reason)}. Name the host in ${SETTING} as the `
      + "certificate does, or write sslmode=verify-ca if that is impossible."
  }
  if (OUT_OF_DATE.has(code)) {
    return (name) =>
      `${name} shows a certificate that has expired or is not valid yet: ${reason}. Renew it on that server.`
  }
  if (UNTRUSTED.test(code)) {
    return (name) =>
      `${name} shows a certificate that is not trusted: ${reason}. Name the file of the CA that signed it with `
      + `sslrootcert= in ${SETTING}.`
  }
  return /^ERR_(SSL|TLS)_/.test(code)
    ? (name) => `${name} rejects the TLS handshake: ${reason}. Check sslmode in ${SETTING}, and the server's log.`
    : undefined
}

/** PgBouncer's, for a parameter of a session that it does not pass on. */
const UNSUPPORTED_PARAMETER = /unsupported startup parameter(?: in options)?: (\S+)/

/** PgBouncer refuses transactions in its mode `statement`. */
const STATEMENT_POOLING = /not allowed in statement pooling/

/** Of a pooler: all of them come with the code of any violation of the protocol. */
const poolerMeaning = (reason: string): Meaning | undefined => {
  const parameter = UNSUPPORTED_PARAMETER.exec(reason)?.[1]
  if (parameter !== undefined) {
    return (name) =>
      `${name} is behind a pooler that does not pass on ${parameter}: ${reason}. Remove it from ${SETTING}, or add it `
      + "to ignore_startup_parameters of PgBouncer if it may be ignored."
  }
  return STATEMENT_POOLING.test(reason) ? (name) => pooled(name, "statement") : undefined
}

/** For a pooler that gives the sessions of one client to others. */
export const pooled = (name: string, mode: string): string =>
  `${name} is behind a pooler in ${mode} mode, which gives one session to several clients. The service needs its own, `
  + `for locks, prepared statements, and LISTEN: set pool_mode = session, or name the server itself with ${SETTING}.`

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Classes of SQLSTATE that a configuration causes: authorization, a missing database, missing rights. */
const CONFIGURATION = /^(28|3D|42501)/

/** The message for the operator, and what helps. */
const meaningFor = (name: string, cause: unknown): Pick<DatabaseUnusable, "message" | "remedy"> => {
  const state = sqlState(cause)
  const reason = describe(cause)
  if (cause instanceof Misconfigured) return { message: reason, remedy: "configure" }
  if (cause instanceof Unsuitable) return { message: reason }
  if (cause instanceof TlsUnusable) {
    return { message: `${name} cannot be used: ${reason}. Check ${SETTING}.`, remedy: "configure" }
  }
  if (state === undefined) {
    const meaning = tlsMeaning(codeOf(cause), reason)
    return meaning === undefined
      ? {
        message: `${name} does not answer: ${reason}. Is PostgreSQL running there, and does it accept connections?`,
        remedy: "wait"
      }
      : { message: meaning(name, reason), remedy: "configure" }
  }
  const ofPooler = poolerMeaning(reason)
  if (ofPooler !== undefined) return { message: ofPooler(name, reason), remedy: "configure" }
  const message = MEANINGS[state]?.(name, reason) ?? `${name} cannot be used: ${reason}`
  if (CONFIGURATION.test(state)) return { message, remedy: "configure" }
  return kindOf(cause) === "refused" ? { message } : { message, remedy: "wait" }
}

/** The error of the database with this name, for its operator. */
export const explain = (name: string, cause: unknown): DatabaseUnusable => new DatabaseUnusable(meaningFor(name, cause))
