/** Passes the bytes of a console between a browser and a screen until either ends, or the person loses the right. */
import * as Effect from "effect/Effect"
import type * as Socket from "effect/socket/Socket"
import type { Socket as NodeSocket } from "node:net"
import { realSleep } from "../../../runtime/Time.ts"
import { read, write } from "./Bytes.ts"
import { type Browser, welcome } from "./Vnc.ts"

export interface BridgeOptions<R> {
  readonly screen: NodeSocket
  /** True if the screen's server required a password, which the browser does not have. */
  readonly isAuthenticated: boolean
  /** False when the console must end. */
  readonly mayContinue: Effect.Effect<boolean, never, R>
  readonly checkMillis: number
  /** Longest time without input from the browser, in milliseconds. */
  readonly idleMillis: number
}

const bytesOf = (data: Uint8Array | string): Uint8Array => typeof data === "string" ? Buffer.from(data) : data

const browserOf = Effect.fnUntraced(function*(socket: Socket.Socket) {
  const reader = yield* socket.reader
  const writer = yield* socket.writer
  return {
    pull: Effect.map(
      reader.pull,
      (batch) => batch.length === 1 ? bytesOf(batch[0]) : Buffer.concat(batch.map(bytesOf))
    ),
    send: writer.write
  } satisfies Browser<Socket.SocketError>
})

/** Completes when the console has ended. */
export const bridge = Effect.fnUntraced(
  function*<R>(socket: Socket.Socket, options: BridgeOptions<R>) {
    const { checkMillis, idleMillis, isAuthenticated, mayContinue, screen } = options
    const browser = yield* browserOf(socket)
    if (isAuthenticated) yield* write(screen, yield* welcome(browser))
    let lastInput = performance.now()
    const input = Effect.flatMap(browser.pull, (bytes) => {
      lastInput = performance.now()
      return write(screen, bytes)
    })
    const output = Effect.flatMap(read(screen), browser.send)
    const check: Effect.Effect<void, never, R> = Effect.suspend(() =>
      performance.now() - lastInput > idleMillis ? Effect.void : Effect.andThen(realSleep(checkMillis), continued)
    )
    const continued = Effect.flatMap(mayContinue, (may) => may ? check : Effect.void)
    yield* Effect.raceFirst(Effect.raceFirst(Effect.forever(input), Effect.forever(output)), check)
  },
  Effect.scoped,
  (ended) => Effect.ignore(ended)
)
