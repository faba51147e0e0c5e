/** Errors at the start on a PostgreSQL database, with the remedy. They never show the password. */
import { DatabaseUnusable } from "../DatabaseUnusable.ts"
import { describe, sqlState } from "./Failures.ts"
import { TlsUnusable } from "./Tls.ts"

/** For messages: the name and the host of the database at a URL. */
export const nameOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `The database "${pathname.slice(1)}" at ${host || "the local socket"}`
}

/** The operator has to change something; the message is for them. */
export class Unsuitable extends Error {}

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

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const messageFor = (name: string, cause: unknown): string => {
  const state = sqlState(cause)
  const reason = describe(cause)
  if (cause instanceof Unsuitable) return reason
  if (cause instanceof TlsUnusable) return `${name} cannot be used: ${reason}. Check ${SETTING}.`
  const meaning = state === undefined ? tlsMeaning(codeOf(cause), reason) : MEANINGS[state]
  if (meaning !== undefined) return meaning(name, reason)
  return state === undefined
    ? `${name} does not answer: ${reason}. Is PostgreSQL running there, and does it accept connections?`
    : `${name} cannot be used: ${reason}`
}

/** The error of the database with this name, for its operator. */
export const explain = (name: string, cause: unknown): DatabaseUnusable =>
  new DatabaseUnusable({ message: messageFor(name, cause) })
