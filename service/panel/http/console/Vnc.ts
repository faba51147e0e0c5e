/**
 * The start of a session with a VNC server (RFB 3.8, RFC 6143 §7.1). A server's password is for this service only: it
 * authenticates itself, and offers a session without a password to the browser, which its ticket has admitted.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createCipheriv } from "node:crypto"
import type { Socket } from "node:net"
import type { ConsoleAddress } from "../../../provisioning/Driver.ts"
import { connect, ConnectionEnded, read, write } from "./Bytes.ts"

const VERSION = Buffer.from("RFB 003.008\n")
const NONE = 1
const VNC_AUTHENTICATION = 2
const CHALLENGE_BYTES = 16
const RESULT_BYTES = 4
const KEY_BYTES = 8

const mirrored = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, "0").split("").toReversed().join(""), 2)

/** DES with the password's reversed bits as its key. Triple DES with three equal keys is DES. */
const respond = (challenge: Buffer, password: string): Buffer => {
  const key = Buffer.from(Buffer.from(password.padEnd(KEY_BYTES, "\0")).subarray(0, KEY_BYTES).map(mirrored))
  const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

/** Fails if the server does not want this password. */
const authenticate = Effect.fnUntraced(function*(socket: Socket, password: Redacted.Redacted<string>) {
  yield* read(socket, VERSION.length)
  yield* write(socket, VERSION)
  const [count] = yield* read(socket, 1)
  const types = [...yield* read(socket, count)]
  if (!types.includes(VNC_AUTHENTICATION)) return yield* new ConnectionEnded()
  yield* write(socket, Uint8Array.of(VNC_AUTHENTICATION))
  yield* write(socket, respond(yield* read(socket, CHALLENGE_BYTES), Redacted.value(password)))
  if ((yield* read(socket, RESULT_BYTES)).readUInt32BE() !== 0) return yield* new ConnectionEnded()
})

/** A connection to a screen, closed with the scope. */
export const openScreen = Effect.fnUntraced(function*(address: ConsoleAddress) {
  const socket = yield* connect(
    address.kind === "unix" ? { path: address.path } : { host: address.host, port: address.port }
  )
  if (address.kind === "tcp") yield* authenticate(socket, address.password)
  return socket
})

/** The other end of a browser's connection. */
export interface Browser<E> {
  /** The next bytes. */
  readonly pull: Effect.Effect<Uint8Array, E>
  readonly send: (bytes: Uint8Array) => Effect.Effect<void, E>
}

/** Plays a server without a password to a browser; returns the bytes that it has sent beyond. */
export const welcome = Effect.fnUntraced(function*<E>({ pull, send }: Browser<E>) {
  let received: Uint8Array = new Uint8Array()
  const take = Effect.fnUntraced(function*(bytes: number) {
    while (received.length < bytes) received = Buffer.concat([received, yield* pull])
    received = received.subarray(bytes)
  })
  yield* send(VERSION)
  yield* take(VERSION.length)
  yield* send(Uint8Array.of(1, NONE))
  yield* take(1)
  yield* send(new Uint8Array(RESULT_BYTES))
  return received
})
