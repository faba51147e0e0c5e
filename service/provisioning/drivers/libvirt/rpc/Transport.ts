/** A socket to libvirt's daemon: a Unix socket on this computer, or TLS with certificates to another one. */
import { connect as connectTcp, type Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { ConnectionLost } from "./Faults.ts"

/** PEM texts. The daemon accepts clients whose certificate its authority signed and its list names. */
export interface Credentials {
  readonly certificate: string
  readonly key: string
  readonly authority: string
}

export type Target =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tls"; readonly host: string; readonly port: number; readonly credentials: Credentials }

const nameOf = (target: Target): string => target.kind === "unix" ? target.path : `${target.host}:${target.port}`

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: "Start the daemon (systemctl start libvirtd), or correct the URI.",
  ECONNREFUSED: "Start the daemon (systemctl start libvirtd), or correct the URI.",
  EACCES: "Add the service's user to the group that owns the socket (libvirt).",
  ENOTFOUND: "Correct the host in the URI, or its DNS record.",
  EHOSTUNREACH: "Check the network and the host's firewall.",
  ETIMEDOUT: "Check the network and the host's firewall."
}

const failure = (target: Target, error: Error): ConnectionLost => {
  const { code } = error as { readonly code?: unknown }
  const advice = ADVICE[String(code)] ?? (target.kind === "tls" ? "Check both certificates and their authority." : "")
  return new ConnectionLost(`Cannot connect to libvirt at ${nameOf(target)}: ${error.message}. ${advice}`.trimEnd())
}

/** The daemon's first byte after a TLS handshake: it accepts the client's certificate. */
const ACCEPTED = 1

const openTls = async (target: Target & { readonly kind: "tls" }): Promise<TLSSocket> => {
  const tls = await import("node:tls")
  const { credentials: { authority, certificate, key }, host, port } = target
  const own = { ca: authority, cert: certificate, key, minVersion: "TLSv1.2" } as const
  // `assertAuthorized` rejects the daemon, after it has read when its certificate ended.
  return tls.connect({ host, port, ...own, rejectUnauthorized: false })
}

/** The end of a daemon's certificate, in epoch milliseconds; null over a Unix socket. */
export const certificateEnd = (socket: Socket): number | null =>
  "getPeerCertificate" in socket ? Date.parse((socket as TLSSocket).getPeerCertificate().valid_to) : null

/** Throws unless the daemon has proven who it is. */
const assertAuthorized = (socket: TLSSocket, target: Target): void => {
  if (socket.authorized) return
  const reason = String(socket.authorizationError)
  const end = certificateEnd(socket)
  if (reason === "CERT_HAS_EXPIRED" && end !== null) {
    throw new ConnectionLost(
      `The certificate of libvirt at ${nameOf(target)} ended on ${new Date(end).toISOString()}. Renew it on that host, `
        + "and restart the daemon."
    )
  }
  throw new ConnectionLost(
    `Cannot connect to libvirt at ${nameOf(target)}: its certificate is not accepted (${reason}). `
      + "Check both certificates and their authority."
  )
}

/** Settles when the daemon accepts the certificate, or closes the connection, which is how it rejects one. */
const accepted = (socket: Socket, target: Target) =>
  new Promise<void>((resolve, reject) => {
    const rejected = () => {
      const advice = "Check that the daemon's tls_allowed_dn_list names the client's certificate."
      reject(new ConnectionLost(`libvirt at ${nameOf(target)} rejected the certificate. ${advice}`))
    }
    socket.once("end", rejected).once("close", rejected)
    socket.once("readable", () => {
      const first: Buffer | null = socket.read(1)
      if (first === null) return
      socket.off("end", rejected).off("close", rejected)
      if (first[0] === ACCEPTED) resolve()
      else rejected()
    })
  })

const connected = (socket: Socket, event: string) =>
  new Promise<void>((resolve, reject) => {
    socket.once(event, () => {
      socket.off("error", reject)
      resolve()
    })
    socket.once("error", reject)
  })

/** Connects a socket, over which packets can be exchanged. Rejects with `ConnectionLost`, which names the remedy. */
export const openSocket = async (target: Target, timeoutMillis: number): Promise<Socket> => {
  const secure = target.kind === "unix" ? undefined : await openTls(target)
  const socket = secure ?? connectTcp((target as Target & { readonly kind: "unix" }).path)
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error(`no answer within ${timeoutMillis} ms`), { code: "ETIMEDOUT" }))
  }, timeoutMillis)
  try {
    await connected(socket, target.kind === "unix" ? "connect" : "secureConnect")
    if (secure !== undefined) {
      assertAuthorized(secure, target)
      await accepted(secure, target)
    }
    return socket
  } catch (error) {
    socket.destroy()
    throw error instanceof ConnectionLost ? error : failure(target, error as Error)
  } finally {
    clearTimeout(timer)
  }
}
