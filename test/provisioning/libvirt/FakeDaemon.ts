/** A peer that replies like libvirt's daemon, with recorded packets or others. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer as createTlsServer } from "node:tls"
import { type Packet, packetReader, STATUS, toBytes, TYPE } from "#service/provisioning/drivers/libvirt/rpc/Packets"
import { type Procedure, PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { encode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import type { Certificate } from "../../support/certificates.ts"

/** Replies of libvirt 9.0.0, as hexadecimal text by the name of the step. */
const RECORDED = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8")) as Readonly<
  Record<string, string>
>

/** Replies to a packet; `reply` sends any bytes. */
export type Respond = (packet: Packet, reply: (bytes: Buffer) => void, socket: Socket) => void

/** The reply to a call: a result of its procedure. */
export const result = <Arguments, A>(procedure: Procedure<Arguments, A>, packet: Packet, value: A): Buffer =>
  toBytes({ ...packet, type: TYPE.reply, status: STATUS.ok }, encode(procedure.result, value))

const SERIAL_AT = 20
const TYPE_AT = 16

/** A recorded reply with the serial of this call; events before it keep theirs. */
export const recorded = (step: string, { serial }: Packet): Buffer => {
  const bytes = Buffer.from(RECORDED[step]!, "hex")
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    if (bytes.readUInt32BE(at + TYPE_AT) === TYPE.reply) bytes.writeUInt32BE(serial, at + SERIAL_AT)
  }
  return bytes
}

/** The body of the recorded reply about all machines: a guest with a balloon driver, a disk and a drive. */
export const allStats = (): Buffer => Buffer.from(RECORDED["allStats"]!, "hex")

/** Replies to the calls that open a connection; `respond` gets all others. */
const opening = (respond: Respond): Respond => (packet, reply, socket) => {
  const { open, registerEvent, supportsFeature } = PROCEDURES
  if (packet.type !== TYPE.call || packet.program !== open.program) return respond(packet, reply, socket)
  if (packet.procedure === open.number) return reply(result(open, packet, undefined))
  if (packet.procedure === supportsFeature.number) return reply(result(supportsFeature, packet, 1))
  if (packet.procedure === registerEvent.number) return reply(result(registerEvent, packet, 1))
  respond(packet, reply, socket)
}

export interface FakeDaemon {
  readonly path: string
  readonly port: number
  readonly close: () => Promise<void>
}

interface Options {
  /** Also for the calls that open a connection. */
  readonly raw?: boolean
  /** Sends replies in parts of this many bytes. */
  readonly part?: number
  readonly tls?: Certificate & { readonly authority: string; readonly accepts: boolean }
}

const listen = (server: Server, where: string | number) =>
  new Promise<void>((resolve) => server.listen(where, () => resolve()))

export const startDaemon = async (respond: Respond, { part, raw = false, tls }: Options = {}): Promise<FakeDaemon> => {
  const folder = mkdtempSync(join(tmpdir(), "vps-libvirt-"))
  const path = join(folder, "s")
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    const reply = (bytes: Buffer) => {
      const step = part ?? bytes.length
      for (let at = 0; at < bytes.length; at += step) socket.write(bytes.subarray(at, at + step))
    }
    const responding = raw ? respond : opening(respond)
    const read = packetReader((packet) => responding(packet, reply, socket))
    socket.on("data", (data: Buffer) => void read(data)).on("error", () => socket.destroy())
  }
  const server = tls === undefined ? createServer(serve) : createTlsServer({
    cert: readFileSync(tls.cert),
    key: readFileSync(tls.key),
    ca: readFileSync(tls.authority),
    requestCert: true
  }, (socket) => {
    if (!tls.accepts) return void socket.destroy()
    socket.write(Buffer.from([1]))
    serve(socket)
  })
  await listen(server, tls === undefined ? path : 0)
  const address = server.address()
  return {
    path,
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
