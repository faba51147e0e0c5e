/**
 * How connections to PostgreSQL are protected. `pg` of this version takes prefer, require and verify-ca for
 * verify-full, and knows no way on when a server has no TLS: so it is told what to do, and never sees these words.
 */
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { DIRECT, POSTGRES, SYSTEM, tlsOf, withoutTls } from "./Settings.ts"

/** A file that is named in the URL is no use; the message is for the operator. */
export class TlsUnusable extends Error {}

const because = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Throws when there is none: Node takes that for no CA at all, and then trusts nobody, without saying why. */
const firstOf = (bundle: string): X509Certificate => new X509Certificate(bundle)

const read = (word: string, path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  try {
    const text = readFileSync(path, "utf8")
    if (word === "sslrootcert") firstOf(text)
    return text
  } catch (cause) {
    throw new TlsUnusable(`${word}=${path} is no use: ${because(cause)}. It should be the path of a PEM file`)
  }
}

/** Who is believed. The certificate's name does not count for anything but verify-full. */
const trustOf = (mode: string, root: string | undefined): ConnectionOptions => {
  if (mode === "prefer" || (mode === "require" && root === undefined)) return { rejectUnauthorized: false }
  const ca = root === SYSTEM ? undefined : read("sslrootcert", root)
  return {
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED would have its way otherwise.
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
    throw new TlsUnusable(`sslcert=${cert} and sslkey=${key} are no use: ${because(cause)}`)
  }
  return { ...trustOf(mode, root), ...(cert === undefined ? {} : own) }
}

/** What PostgreSQL's protocol begins with to ask for TLS: a length, and a number that is no version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const NO = "N"

/** Whether a server has TLS. Only its no counts: whatever else is wrong, the connection that follows will tell. */
const hasTls = (host: string, port: number, patienceMillis: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMillis })
    const answer = (has: boolean) => () => {
      resolve(has)
      socket.destroy()
    }
    socket.once("connect", () => socket.write(SSL_REQUEST))
    socket.once("data", (chunk) => answer(chunk.toString("latin1") !== NO)())
    for (const end of ["timeout", "error", "close"]) socket.once(end, answer(true))
  })

/** Where the server is, as `pg` reads the URL. */
interface Place {
  readonly host: string
  readonly port: number
}

/**
 * What `pg` is given for a URL. A server is asked once whether it has TLS: as it has it then, it stays. Rejects with
 * `TlsUnusable`.
 */
export const protect = async (url: string, placeOf: (bare: string) => Place, patienceMillis: number) => {
  const [words, connectionString] = [tlsOf(url), withoutTls(url)]
  const { host, port } = placeOf(connectionString)
  const options = optionsOf(words)
  // Nobody listens on the way to a socket of this machine, and no server has TLS there.
  const isOff = words.mode === "disable" || host.startsWith("/")
    || (words.mode === "prefer" && !await hasTls(host, port, patienceMillis))
  if (isOff) return { connectionString, ssl: false, sslnegotiation: POSTGRES } as const
  return { connectionString, ssl: options, sslnegotiation: words.negotiation === DIRECT ? DIRECT : POSTGRES } as const
}
