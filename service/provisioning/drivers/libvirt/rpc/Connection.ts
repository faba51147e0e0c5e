/**
 * One connection to libvirt's daemon: calls, events, and streams of data. The daemon executes five calls of a
 * connection at a time, and a call that a frozen machine blocks is not withdrawn when its answer is late.
 */
import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import { ConnectionLost, LibvirtError } from "./Faults.ts"
import { type Packet, packetReader, STATUS, toBytes, TYPE } from "./Packets.ts"
import { EVENT_BY_MESSAGE, type EventName, EVENTS, type Procedure, PROCEDURES } from "./Procedures.ts"
import { type Callee, receiving, sendAll } from "./Streams.ts"
import { certificateEnd, openSocket, type Target } from "./Transport.ts"
import { type Domain, fault } from "./Types.ts"
import { decode, encode } from "./Xdr.ts"

export interface ConnectionOptions {
  /** Maximum wait for a connection and for the reply to a call, in milliseconds. */
  readonly timeoutMillis: number
  /** Between two checks that the daemon still answers; after three without an answer, the connection is lost. */
  readonly keepaliveMillis: number
  readonly onEvent?: (name: EventName, domain: Domain, details: ReadonlyArray<unknown>) => void
}

export interface Connection {
  /** Rejects with `LibvirtError` or `ConnectionLost`. */
  readonly call: <Arguments, Result>(
    procedure: Procedure<Arguments, Result>,
    values: Arguments,
    timeoutMillis?: number
  ) => Promise<Result>
  /** Calls a procedure that receives a stream of data. The timeout is for the end of the stream. */
  readonly upload: <Arguments>(
    procedure: Procedure<Arguments, void>,
    values: Arguments,
    data: AsyncIterable<Buffer> | Iterable<Buffer>,
    timeoutMillis: number
  ) => Promise<void>
  /** The daemon's address; null over a Unix socket. */
  readonly peer: string | null
  /** The end of the daemon's certificate, in epoch milliseconds; null over a Unix socket. */
  readonly certificateEnd: number | null
  /** Calls a procedure that sends a stream of data, which goes to `into`. Nothing else may use the connection. */
  readonly download: <Arguments>(
    procedure: Procedure<Arguments, void>,
    values: Arguments,
    into: Writable,
    timeoutMillis: number
  ) => Promise<void>
  /** True until the connection is lost or closed. */
  readonly isOpen: () => boolean
  readonly close: () => void
}

interface Call {
  readonly procedure: Callee
  readonly timer: NodeJS.Timeout
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  /** Sends the data of a stream, once the daemon accepts it. */
  readonly onAccepted: (() => void) | undefined
  /** Takes the data of a stream; an empty part is its end. */
  onData?: (part: Buffer) => void
}

const KEEPALIVE = { program: 0x6b656570, ping: 1, pong: 2 }
/** Checks without an answer before a connection counts as lost. */
const KEEPALIVE_MISSED_MAX = 3
/** Feature number of the keepalive protocol; a client that knows it is checked by the daemon as well. */
const KEEPALIVE_FEATURE = 10
/** Data of one packet of a stream: below the 256 KiB minus header that the daemon accepts. */
const CHUNK_BYTES = 262_000
const EMPTY = Buffer.alloc(0)
const URI = "qemu:///system"

interface StreamOptions {
  /** Gets the number of the call once the daemon has accepted it: data can be sent. */
  readonly onAccepted?: (serial: number) => void
  /** Gets the data that the daemon sends. */
  readonly into?: Writable
}

class Session {
  private readonly calls = new Map<number, Call>()
  private readonly socket: Socket
  private readonly options: ConnectionOptions
  private readonly pinger: NodeJS.Timeout
  private serial = 0
  private missed = 0
  private ended: ConnectionLost | undefined

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket
    this.options = options
    this.pinger = setInterval(() => this.checkAlive(), options.keepaliveMillis).unref()
    const read = packetReader((packet) => this.receive(packet))
    socket.on("data", (data: Buffer) => {
      try {
        if (!read(data)) this.end("the peer is not a libvirt daemon")
      } catch (error) {
        this.end(`its reply cannot be read: ${(error as Error).message}`)
      }
    })
    socket.on("error", (error) => this.end(error.message)).on("close", () => this.end("it was closed"))
  }

  get isOpen(): boolean {
    return this.ended === undefined
  }

  end(reason: string): void {
    if (this.ended !== undefined) return
    this.ended = new ConnectionLost(`The connection to libvirt was lost: ${reason}.`)
    clearInterval(this.pinger)
    this.socket.destroy()
    for (const serial of this.calls.keys()) this.finish(serial)?.reject(this.ended)
  }

  send<Arguments, Result>(
    procedure: Procedure<Arguments, Result>,
    values: Arguments,
    timeoutMillis: number,
    { into, onAccepted }: StreamOptions = {}
  ): Promise<Result> {
    if (this.ended !== undefined) return Promise.reject(this.ended)
    const body = encode(procedure.arguments, values)
    const serial = ++this.serial
    return new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.finish(serial)
        reject(new ConnectionLost(`${procedure.name}: libvirt did not answer within ${timeoutMillis} ms.`))
      }, timeoutMillis)
      const isStream = onAccepted !== undefined || into !== undefined
      this.calls.set(serial, {
        procedure,
        timer,
        resolve: resolve as (result: unknown) => void,
        reject,
        onAccepted: isStream ? () => onAccepted?.(serial) : undefined
      })
      if (into !== undefined) this.receiveStream(procedure, serial, into)
      this.write(procedure, TYPE.call, serial, STATUS.ok, body)
    })
  }

  /** Sends a part of a stream; resolves once the socket has taken it. */
  async stream(procedure: Callee, serial: number, data: Buffer): Promise<void> {
    for (let at = 0; at < data.length && this.calls.has(serial); at += CHUNK_BYTES) {
      await this.flushed(procedure, serial, STATUS.continue, data.subarray(at, at + CHUNK_BYTES))
    }
  }

  async endStream(procedure: Callee, serial: number, error?: Error): Promise<void> {
    if (error !== undefined) this.finish(serial)?.reject(error)
    else if (!this.calls.has(serial)) return
    await this.flushed(procedure, serial, error === undefined ? STATUS.ok : STATUS.error, EMPTY)
  }

  /** Writes the data of a stream. A daemon may send the first part before the reply to the call. */
  private receiveStream(procedure: Callee, serial: number, into: Writable): void {
    const end = (error?: Error) => void this.endStream(procedure, serial, error)
    this.calls.get(serial)!.onData = receiving(into, this.socket, end)
  }

  private flushed(procedure: Callee, serial: number, status: number, data: Buffer): Promise<void> {
    return new Promise((resolve) => this.write(procedure, TYPE.stream, serial, status, data, resolve))
  }

  private write(
    { number, program }: Pick<Callee, "number" | "program">,
    type: number,
    serial: number,
    status: number,
    body: Buffer,
    onFlushed?: () => void
  ): void {
    this.socket.write(toBytes({ program, procedure: number, type, serial, status }, body), () => onFlushed?.())
  }

  private finish(serial: number): Call | undefined {
    const call = this.calls.get(serial)
    this.calls.delete(serial)
    if (call !== undefined) clearTimeout(call.timer)
    return call
  }

  private checkAlive(): void {
    if (this.missed++ >= KEEPALIVE_MISSED_MAX) return this.end("the daemon does not answer")
    this.keepalive(KEEPALIVE.ping)
  }

  private keepalive(number: number): void {
    this.write({ program: KEEPALIVE.program, number }, TYPE.message, 0, STATUS.ok, EMPTY)
  }

  private receive(packet: Packet): void {
    this.missed = 0
    if (packet.program === KEEPALIVE.program) {
      if (packet.procedure === KEEPALIVE.ping) this.keepalive(KEEPALIVE.pong)
    } else if (packet.type === TYPE.message) this.notify(packet)
    else this.reply(packet)
  }

  private notify({ body, procedure }: Packet): void {
    const event = EVENT_BY_MESSAGE.get(procedure)
    if (event === undefined) return
    const [, domain, ...details] = decode(event.body, body) as [number, Domain, ...Array<unknown>]
    this.options.onEvent?.(event.name, domain, details)
  }

  private reply({ body, serial, status, type }: Packet): void {
    const call = this.calls.get(serial)
    // The reply to a call whose deadline has passed.
    if (call === undefined) return
    if (type === TYPE.reply && status === STATUS.ok && call.onAccepted !== undefined) return call.onAccepted()
    if (type === TYPE.stream && status === STATUS.continue) return call.onData?.(body)
    // Decoded before the call is finished: a reply that cannot be read ends the connection, which rejects the call.
    if (status === STATUS.error) {
      const error = new LibvirtError(call.procedure.name, decode(fault, body))
      this.finish(serial)!.reject(error)
    } else {
      const value = type === TYPE.reply ? decode(call.procedure.result, body) : undefined
      this.finish(serial)!.resolve(value)
    }
  }
}

/** Connects to a daemon. Rejects with `ConnectionLost`, or `LibvirtError` if the daemon rejects the client. */
export const connect = async (target: Target, options: ConnectionOptions): Promise<Connection> => {
  const socket = await openSocket(target, options.timeoutMillis)
  const session = new Session(socket, options)
  const call: Connection["call"] = (procedure, values, timeoutMillis = options.timeoutMillis) =>
    session.send(procedure, values, timeoutMillis)
  try {
    await call(PROCEDURES.open, [URI, 0])
    await call(PROCEDURES.supportsFeature, [KEEPALIVE_FEATURE])
    if (options.onEvent !== undefined) {
      for (const { id } of Object.values(EVENTS)) await call(PROCEDURES.registerEvent, [id, null])
    }
  } catch (error) {
    session.end("it could not be opened")
    throw error
  }
  return {
    call,
    upload: (procedure, values, data, timeoutMillis) =>
      session.send(procedure, values, timeoutMillis, {
        onAccepted: (serial) => void sendAll(session, procedure, serial, data)
      }),
    download: (procedure, values, into, timeoutMillis) => session.send(procedure, values, timeoutMillis, { into }),
    peer: socket.remoteAddress ?? null,
    certificateEnd: certificateEnd(socket),
    isOpen: () => session.isOpen,
    close: () => session.end("this process closed it")
  }
}
