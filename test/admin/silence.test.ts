/** A service that does not answer a command, and one that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import * as AdminSocket from "#service/admin/AdminSocket"
import { callService } from "#service/admin/cli/Dispatch"
import { resolve } from "#service/config/Resolve"
import { ServiceRuntime } from "#service/ServiceRuntime"
import { limitsLayer } from "../support/limits.ts"
import { temporaryFolder } from "../support/temporary.ts"

/** Short, because nothing comes before its end. */
const ENVIRONMENT = { VPS_SERVICE_ADMIN_SILENCE_MILLIS: "20" }

/** The answer to a command by a service that treats connections so. */
const answerOf = Effect.fnUntraced(function*(
  onConnection: (socket: Socket) => void,
  environment: Readonly<Record<string, string>> = {}
) {
  const database = join(yield* temporaryFolder, "x.db")
  const sockets: Array<Socket> = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    onConnection(socket)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(AdminSocket.socketPath(database)), "listening")),
    () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )
  return yield* callService(resolve(["--database", database], environment), "coupons.list", {})
})

describe("a command to a running service", () => {
  it.live("gives up after the limit of its silence, and names it", () =>
    Effect.gen(function*() {
      const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
      let accepted: Socket | undefined
      const onConnection = (socket: Socket) => void (accepted = socket.on("error", () => onClose()))
      const { message } = yield* Effect.flip(answerOf(onConnection, ENVIRONMENT))
      assert.include(message, "has not responded for 20 ms (VPS_SERVICE_ADMIN_SILENCE_MILLIS)")
      assert.include(message, "may still execute the command")
      // A client whose connection stays open does not end; this one has closed it.
      accepted!.write("late")
      yield* Effect.promise(() => closed)
    }))

  it.live("reads the result after the spaces that show that it is being executed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answerOf((socket) => socket.end("   {\"result\":[]}\n")), [])
    }))

  it.effect("which the service sends every second", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "x.db")
      yield* Layer.build(
        AdminSocket.layer(database).pipe(
          Layer.provide([limitsLayer(), Layer.succeed(ServiceRuntime, { run: () => Effect.never })])
        )
      )
      const socket = connect(AdminSocket.socketPath(database))
      socket.write("{\"command\":\"coupons.list\"}\n")
      let received = ""
      socket.on("data", (chunk) => received += String(chunk))
      while (received.length < 3) {
        yield* TestClock.adjust(1_000)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.match(received, /^ +$/)
      socket.destroy()
    }))
})
