/** Reads and writes on a connection of Node, without more in memory than the connection buffers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { connect as open, type NetConnectOpts, type Socket } from "node:net"

/** The connection has ended, or was never made. */
export class ConnectionEnded extends Schema.TaggedError<ConnectionEnded>()("ConnectionEnded", {}) {}

const ended = Effect.fail(new ConnectionEnded())

/** Runs a step at each of some events until it has a result. */
const until = <A>(
  socket: Socket,
  events: ReadonlyArray<string>,
  step: () => Effect.Effect<A, ConnectionEnded> | undefined
): Effect.Effect<A, ConnectionEnded> =>
  Effect.callback((resume) => {
    const stop = () => events.forEach((event) => socket.off(event, attempt))
    const attempt = () => {
      const result = step()
      if (result === undefined) return
      stop()
      resume(result)
    }
    for (const event of events) socket.on(event, attempt)
    attempt()
    return Effect.sync(stop)
  })

/** A connection, closed with the scope. */
export const connect = (target: NetConnectOpts): Effect.Effect<Socket, ConnectionEnded, Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = open(target)
      // Reads and writes report the end of the connection.
      socket.on("error", () => socket.destroy())
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  ).pipe(
    Effect.tap((socket) =>
      until(socket, ["connect", "close"], () => {
        if (socket.destroyed) return ended
        return socket.connecting ? undefined : Effect.void
      })
    )
  )

/** The next bytes: exactly so many, or without a number all that have arrived. */
export const read = (socket: Socket, bytes?: number): Effect.Effect<Buffer, ConnectionEnded> =>
  until(socket, ["readable", "end", "close"], () => {
    const data = socket.read(bytes) as Buffer | null
    if (data !== null) return Effect.succeed(data)
    return socket.readableEnded || socket.destroyed ? ended : undefined
  })

/** Completes when the other side takes more. */
export const write = (socket: Socket, data: Uint8Array): Effect.Effect<void, ConnectionEnded> =>
  Effect.suspend(() => {
    if (socket.destroyed || !socket.writable) return ended
    if (socket.write(data)) return Effect.void
    return until(socket, ["drain", "close"], () => {
      if (socket.destroyed) return ended
      return socket.writableNeedDrain ? undefined : Effect.void
    })
  })
