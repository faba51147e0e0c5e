/**
 * The connections to a host, opened when they are needed and again when they were lost. Calls that may wait for a
 * machine or a copy have a connection of their own, because the daemon executes only five calls of one at a time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Writable } from "node:stream"
import { Limits } from "../../../config/Limits.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { connect, type Connection } from "./rpc/Connection.ts"
import { type AgentFault, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import type { Procedure } from "./rpc/Procedures.ts"
import type { Target } from "./rpc/Transport.ts"

export type CallFault = LibvirtError | ConnectionLost | AgentFault

/** The limits of connections to hosts. */
export interface CallLimits {
  readonly LIBVIRT_CALL_MILLIS: number
  readonly LIBVIRT_COPY_MILLIS: number
  readonly LIBVIRT_KEEPALIVE_MILLIS: number
}

export interface HostConnection {
  /** Those of both sides; none over a Unix socket. */
  readonly certificates: Effect.Effect<ReadonlyArray<CertificateEnd>, CallFault>
  /** The reason why the latest attempt to connect failed; null if it did not. */
  readonly failure: () => string | null
  readonly call: <A, R>(procedure: Procedure<A, R>, values: A) => Effect.Effect<R, CallFault>
  /** For a call that may wait for a machine or a copy. */
  readonly slow: <A, R>(procedure: Procedure<A, R>, values: A) => Effect.Effect<R, CallFault>
  readonly upload: <A>(
    procedure: Procedure<A, void>,
    values: A,
    data: AsyncIterable<Buffer> | Iterable<Buffer>
  ) => Effect.Effect<void, CallFault>
  /** The host's address at the other end of the connection; null on the same computer. */
  readonly peer: Effect.Effect<string | null, CallFault>
  /** On a connection of its own. */
  readonly download: <A>(procedure: Procedure<A, void>, values: A, into: Writable) => Effect.Effect<void, CallFault>
  /** The number of times that it was opened. */
  readonly count: () => number
  readonly close: () => void
}

const UNIX = /^unix:(\/.+)$/
const TLS = /^tls:([^:/\s]+|\[[\da-f:]+\]):(\d{1,5})$/i

/** The socket of a URI such as `unix:/run/libvirt/libvirt-sock` or `tls:beta.internal:16514`; undefined for others. */
export const parseUri = (uri: string) => {
  const path = UNIX.exec(uri)?.[1]
  if (path !== undefined) return { kind: "unix", path } as const
  const [, host, port] = TLS.exec(uri) ?? []
  if (host === undefined) return undefined
  return { kind: "tls", host: host.replaceAll(/[[\]]/g, ""), port: Number(port) } as const
}

/** Names in libvirt's own folders of certificates. */
const FILES = { certificate: "clientcert.pem", key: "clientkey.pem", authority: "cacert.pem" } as const

/** A certificate of a connection by TLS. */
export interface CertificateEnd {
  /** Its file, or that it is the host's. */
  readonly name: string
  /** Epoch milliseconds. */
  readonly endsAt: number
}

/** The certificates of the service in a folder. Throws for a file that is missing or that is none. */
const ownCertificates = (certificates: string): ReadonlyArray<CertificateEnd> =>
  [FILES.certificate, FILES.authority].map((file) => {
    const path = join(certificates, file)
    try {
      return { name: path, endsAt: Date.parse(new X509Certificate(readFileSync(path)).validTo) }
    } catch (cause) {
      throw new ConnectionLost(`Cannot read ${path}: ${(cause as Error).message}.`)
    }
  })

/** The daemon closes the connection of a client whose certificate has ended, without a reason. */
const assertValid = (certificates: string, now: number): void => {
  const ended = ownCertificates(certificates).find(({ endsAt }) => endsAt <= now)
  if (ended === undefined) return
  throw new ConnectionLost(`The certificate ${ended.name} ended on ${new Date(ended.endsAt).toISOString()}. Renew it.`)
}

/** The target of a URI, with the certificates in a folder. Throws `ConnectionLost`, which says what to correct. */
const targetOf = (uri: string, certificates: string | null, now: number): Target => {
  const parsed = parseUri(uri)
  if (parsed === undefined) {
    throw new ConnectionLost(
      `${uri} is not a URI of a host. Expected unix:/run/libvirt/libvirt-sock or tls:host.internal:16514.`
    )
  }
  if (parsed.kind === "unix") return parsed
  if (certificates === null) {
    throw new ConnectionLost(`${uri} needs certificates: a folder with ${Object.values(FILES).join(", ")}.`)
  }
  const read = (file: string) => {
    try {
      return readFileSync(join(certificates, file), "utf8")
    } catch (cause) {
      throw new ConnectionLost(`Cannot read ${join(certificates, file)}: ${(cause as Error).message}.`)
    }
  }
  assertValid(certificates, now)
  const credentials = { certificate: read(FILES.certificate), key: read(FILES.key), authority: read(FILES.authority) }
  return { ...parsed, credentials }
}

const isCallFault = (error: unknown): error is LibvirtError | ConnectionLost =>
  error instanceof LibvirtError || error instanceof ConnectionLost

/** `now` is the time at which certificates have to be valid. */
const attempt = <A>(run: (now: number) => Promise<A>): Effect.Effect<A, CallFault> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({
      try: () => run(now),
      catch: (error) => isCallFault(error) ? error : new ConnectionLost((error as Error).message)
    }))

/** A connection that is opened on first use, and again after it was lost. */
const reopening = (open: (now: number) => Promise<Connection>) => {
  let opening: Promise<Connection> | undefined
  let count = 0
  let failure: string | null = null
  const get = async (now: number): Promise<Connection> => {
    const latest = opening
    const current = await latest?.catch(() => undefined)
    if (current?.isOpen() === true) return current
    // Another call may have opened one meanwhile.
    if (opening === latest || opening === undefined) {
      opening = open(now)
      count++
      failure = await opening.then(() => null, (error: unknown) => (error as Error).message)
    }
    return opening
  }
  return {
    get,
    count: () => count,
    failure: () => failure,
    close: () => void opening?.then((connection) => connection.close(), () => {})
  }
}

export const connectTo = (uri: string, certificates: string | null, limits: CallLimits): HostConnection => {
  const { LIBVIRT_CALL_MILLIS, LIBVIRT_COPY_MILLIS, LIBVIRT_KEEPALIVE_MILLIS } = limits
  const options = { timeoutMillis: LIBVIRT_CALL_MILLIS, keepaliveMillis: LIBVIRT_KEEPALIVE_MILLIS }
  const open = async (now: number) => connect(targetOf(uri, certificates, now), options)
  const [quick, waiting] = [reopening(open), reopening(open)]
  return {
    call: (procedure, values) => attempt(async (now) => (await quick.get(now)).call(procedure, values)),
    slow: (procedure, values) =>
      attempt(async (now) => (await waiting.get(now)).call(procedure, values, LIBVIRT_COPY_MILLIS)),
    upload: (procedure, values, data) =>
      attempt(async (now) => (await waiting.get(now)).upload(procedure, values, data, LIBVIRT_COPY_MILLIS)),
    download: (procedure, values, into) =>
      attempt(async (now) => {
        const connection = await open(now)
        try {
          await connection.download(procedure, values, into, LIBVIRT_COPY_MILLIS)
        } finally {
          connection.close()
        }
      }),
    peer: attempt(async (now) => (await quick.get(now)).peer),
    certificates: attempt(async (now) => {
      const { certificateEnd } = await quick.get(now)
      if (certificateEnd === null || certificates === null) return []
      return [...ownCertificates(certificates), { name: "of the host itself", endsAt: certificateEnd }]
    }),
    failure: quick.failure,
    count: quick.count,
    close: () => {
      quick.close()
      waiting.close()
    }
  }
}

/** The connections of this process to each host, which its parts share. */
export class HostConnections
  extends Context.Service<HostConnections, (host: Pick<Host, "uri" | "certificates">) => HostConnection>()(
    "@pulumi-vps/service/HostConnections"
  )
{
  static readonly layer: Layer.Layer<HostConnections, never, Limits> = Layer.effect(
    this,
    Effect.gen(function*() {
      const limits = yield* Limits
      const connections = new Map<string, HostConnection>()
      yield* Effect.addFinalizer(() => Effect.sync(() => connections.forEach((connection) => connection.close())))
      return ({ certificates, uri }) => {
        const connection = connections.get(uri) ?? connectTo(uri, certificates, limits)
        connections.set(uri, connection)
        return connection
      }
    })
  )
}
