/** The socket itself: who may open it, and what it says to those who do not speak its language. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as AdminSocket from "#service/admin/AdminSocket"
import { callService } from "#service/admin/cli/Dispatch"
import { resolve } from "#service/config/Resolve"
import { LogSink } from "#service/observability/Log"
import { ServiceRuntime } from "#service/ServiceRuntime"
import { startApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { DEFAULT_LIMITS, limitsLayer } from "../support/limits.ts"

const { socketPath } = AdminSocket
const { ADMIN_REQUEST_BYTES_MAX } = DEFAULT_LIMITS

const say = (path: string, line: string) =>
  Effect.promise(async () => {
    const socket = connect(path)
    socket.end(line)
    return JSON.parse(await text(socket))
  })

const started = Effect.gen(function*() {
  const database = join(yield* temporaryFolder, "x.db")
  return { app: yield* startApp(["--database", database]), database, path: socketPath(database) }
})

describe("the operators' socket", () => {
  it.live("is its owner's only, as are all files of the database", () =>
    Effect.gen(function*() {
      const { database, path } = yield* started
      for (const file of [path, database, `${database}-wal`]) {
        assert.strictEqual(statSync(file).mode & 0o777, 0o600, file)
      }
    }).pipe(Effect.scoped))

  it.live("responds to a command, and is removed with its service", () =>
    Effect.gen(function*() {
      const path = yield* Effect.scoped(Effect.gen(function*() {
        const { path } = yield* started
        const { result } = yield* say(path, "{\"command\":\"accounts.show\",\"input\":{\"id\":1}}\n")
        assert.deepInclude(result, { id: 1, email: "owner@example.test", wallet: 1000 })
        return path
      }))
      assert.isFalse(existsSync(path))
    }))

  it.live("replaces what a killed service left behind", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "x.db")
      writeFileSync(socketPath(database), "")
      yield* startApp(["--database", database])
      const { result } = yield* say(socketPath(database), "{\"command\":\"ledger.verify\",\"input\":{}}\n")
      assert.isTrue(result.balanced)
    }).pipe(Effect.scoped))

  it.live("rejects invalid commands, and continues", () =>
    Effect.gen(function*() {
      const { path } = yield* started
      const refused = function*(line: string, message: string) {
        assert.include((yield* say(path, line)).refused, message)
      }
      yield* refused("nonsense\n", "one line of JSON")
      yield* refused("[]\n", "one line of JSON")
      for (const other of ["null", "\"1\"", "1", "{}", "{\"command\":1}"]) {
        yield* refused(`${other}\n`, "one line of JSON")
      }
      for (const input of ["null", "\"1\"", "[]", "1"]) {
        yield* refused(`{"command":"coupons.list","input":${input}}\n`, "one line of JSON")
        yield* refused(`{"command":"accounts.show","input":${input}}\n`, "one line of JSON")
      }
      yield* refused("{\"command\":\"toString\"}\n", "Unknown command toString")
      yield* refused(
        "{\"command\":\"accounts.show\",\"input\":{\"id\":\"1\"}}\n",
        "id: Input should be a valid integer"
      )
      yield* refused(
        "{\"command\":\"accounts.show\",\"input\":{\"id\":1,\"a\":1}}\n",
        "a: Extra inputs are not permitted"
      )
      yield* refused(`{"${"x".repeat(ADMIN_REQUEST_BYTES_MAX)}`, "too large")
      const { result } = yield* say(path, "{\"command\":\"coupons.list\",\"input\":{}}\n")
      assert.lengthOf(result, 4)
    }).pipe(Effect.scoped))

  it.live("a path that is too long for a socket disables only the socket", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder, "a".repeat(100))
      mkdirSync(folder)
      const database = join(folder, "x.db")
      const app = yield* startApp(["--database", database])
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
      assert.deepStrictEqual(readdirSync(folder).filter((name) => name.includes("sock")), [])
    }).pipe(Effect.scoped))

  it.live("a folder at its path keeps operators out, says so, and stays", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "x.db")
      const path = socketPath(database)
      mkdirSync(path)
      const lines: Array<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const app = yield* startApp(["--database", database])
        assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
      })).pipe(Effect.provideService(LogSink, (line) => void lines.push(line)))
      assert.include(lines.join(), `${path}: it is a folder. Remove it and restart the service.`)
      assert.isTrue(statSync(path).isDirectory())
      const refused = yield* Effect.flip(callService(resolve(["--database", database], {}), "coupons.list", {}))
      assert.include(refused.message, `${path} is a folder`)
    }))

  it.live("a command that fails unexpectedly says only what is known: it may have been executed", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "x.db")
      const runtime = Layer.succeed(ServiceRuntime, { run: () => Effect.die(new Error("a bug")) })
      yield* Layer.build(Layer.provide(AdminSocket.layer(database), [limitsLayer(), runtime]))
      const { refused } = yield* say(socketPath(database), "{\"command\":\"coupons.list\",\"input\":{}}\n")
      assert.match(refused, /^Internal error.*Check with a list command if a change was made\.$/)
    }).pipe(Effect.scoped))

  it.live("there is none for a database in memory", () =>
    Effect.gen(function*() {
      yield* startApp()
      assert.isFalse(existsSync(socketPath(":memory:")))
    }).pipe(Effect.scoped))
})
