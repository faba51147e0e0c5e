/**
 * The connections to a host, opened when they are needed and again when they were lost. Calls that may wait for a
 * machine or a copy have a connection of their own, because the daemon executes only five calls of one at a time.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

/** The target of a URI, with the certificates in a folder. Throws `ConnectionLost`, which says what to correct. */
const targetOf = (uri: string, certificates: string | null): Target => {
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
  const credentials = { certificate: read(FILES.certificate), key: read(FILES.key), authority: read(FILES.authority) }
  return { ...parsed, credentials }
}

const isCallFault = (error: unknown): error is LibvirtError | ConnectionLost =>
  error instanceof LibvirtError || error instanceof ConnectionLost

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, CallFault> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => isCallFault(error) ? error : new ConnectionLost((error as Error).message)
  })

/** A connection that is opened on first use, and again after it was lost. */
const reopening = (open: () => Promise<Connection>) => {
  let opening: Promise<Connection> | undefined
  let count = 0
  const get = async (): Promise<Connection> => {
    const latest = opening
    const current = await latest?.catch(() => undefined)
    if (current?.isOpen() === true) return current
    // Another call may have opened one meanwhile.
    if (opening === latest || opening === undefined) {
      opening = open()
      count++
    }
    return opening
  }
  return { get, count: () => count, close: () => void opening?.then((connection) => connection.close(), () => {}) }
}

export const connectTo = (uri: string, certificates: string | null, limits: CallLimits): HostConnection => {
  const { LIBVIRT_CALL_MILLIS, LIBVIRT_COPY_MILLIS, LIBVIRT_KEEPALIVE_MILLIS } = limits
  const options = { timeoutMillis: LIBVIRT_CALL_MILLIS, keepaliveMillis: LIBVIRT_KEEPALIVE_MILLIS }
  const open = async () => connect(targetOf(uri, certificates), options)
  const [quick, waiting] = [reopening(open), reopening(open)]
  return {
    call: (procedure, values) => attempt(async () => (await quick.get()).call(procedure, values)),
    slow: (procedure, values) =>
      attempt(async () => (await waiting.get()).call(procedure, values, LIBVIRT_COPY_MILLIS)),
    upload: (procedure, values, data) =>
      attempt(async () => (await waiting.get()).upload(procedure, values, data, LIBVIRT_COPY_MILLIS)),
    download: (procedure, values, into) =>
      attempt(async () => {
        const connection = await open()
        try {
          await connection.download(procedure, values, into, LIBVIRT_COPY_MILLIS)
        } finally {
          connection.close()
        }
      }),
    peer: attempt(async () => (await quick.get()).peer),
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
