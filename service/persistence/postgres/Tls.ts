/**
 * TLS of connections to PostgreSQL. This version of `pg` treats prefer, require and verify-ca as verify-full, and fails
 * when a server has no TLS, so the modes are resolved here and never passed to it.
 */
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { DIRECT, forPg, POSTGRES, SYSTEM, tlsOf } from "../../config/PostgresUrl.ts"

/** A file named in the URL cannot be used; the message is for the operator. */
export class TlsUnusable extends Error {}

const because = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Throws when there is none: Node would take that for an empty list of CAs, and then trust none without a reason. */
const firstOf = (bundle: string): X509Certificate => new X509Certificate(bundle)

const read = (word: string, path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  try {
    const text = readFileSync(path, "utf8")
    if (word === "sslrootcert") firstOf(text)
    return text
  } catch (cause) {
    throw new TlsUnusable(`${word}=${path} cannot be used: ${because(cause)}. It should be the path of a PEM file`)
  }
}

/** The CAs to trust. The certificate's name is only checked by verify-full. */
const trustOf = (mode: string, root: string | undefined): ConnectionOptions => {
  if (mode === "prefer" || (mode === "require" && root === undefined)) return { rejectUnauthorized: false }
  const ca = root === SYSTEM ? undefined : read("sslrootcert", root)
  return {
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would apply otherwise.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined })
  }
}

const optionsOf = ({ cert, key, mode, passphrase, root }: ReturnType<typeof tlsOf>): ConnectionOptions => {
  if (mode === "disable") return {}
  const own = { cert: read("sslcert", cert), key: read("sslkey", key), passphrase }
  try {
    createSecureContext(own)
  } catch (cause) {
    throw new TlsUnusable(`sslcert=${cert} and sslkey=${key} cannot be used: ${because(cause)}`)
  }
  return { ...trustOf(mode, root), ...(cert === undefined ? {} : own) }
}

/** The request for TLS in PostgreSQL's protocol: a length, and a number that is not a version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const NO = "N"

/** True unless the server says that it has no TLS: the connection that follows reports all other errors. */
const hasTls = (host: string, port: number, timeoutMillis: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMillis })
    const answer = (has: boolean) => () => {
      resolve(has)
      socket.destroy()
    }
    socket.once("connect", () => socket.write(SSL_REQUEST))
    socket.once("data", (chunk) => answer(chunk.toString("latin1") !== NO)())
    for (const end of ["timeout", "error", "close"]) socket.once(end, answer(true))
  })

/** Where the server is, as `pg` reads the URL. */
export interface Place {
  readonly host: string
  readonly port: number
}

/**
 * The configuration of `pg` for a URL of one host. Throws `TlsUnusable` when a file cannot be used; each is read once.
 * Its result probes the server for TLS if that decides, because the next server at this address may have none.
 */
export const protect = (url: string, placeOf: (bare: string) => Place, timeoutMillis: number) => {
  const [words, connectionString] = [tlsOf(url), forPg(url)]
  const { host, port } = placeOf(connectionString)
  const options = optionsOf(words)
  const off = { connectionString, ssl: false, sslnegotiation: POSTGRES } as const
  const on = {
    connectionString,
    ssl: options,
    sslnegotiation: words.negotiation === DIRECT ? DIRECT : POSTGRES
  } as const
  return async () => {
    // A local socket cannot be intercepted, and no server has TLS there.
    if (words.mode === "disable" || host.startsWith("/")) return off
    return words.mode === "prefer" && !await hasTls(host, port, timeoutMillis) ? off : on
  }
}
