/** The console of a real QEMU through the panel: its screen arrives. Skipped without QEMU. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startConsoleApp } from "../support/consoleApp.ts"
import { type ConsoleSocket, openConsole } from "../support/consoleSocket.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { until } from "../support/until.ts"

const QEMU = "qemu-system-x86_64"
const isInstalled = spawnSync(QEMU, ["--version"]).status === 0

/** A machine without a disk, whose firmware shows its screen; killed with the scope. */
const startMachine = Effect.gen(function*() {
  const path = join(yield* temporaryFolder, "vnc.sock")
  const options = ["-machine", "pc,accel=tcg", "-m", "64", "-display", "none", "-vnc", `unix:${path}`, "-net", "none"]
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(QEMU, options, { stdio: "ignore" })),
    (machine) => Effect.sync(() => machine.kill("SIGKILL"))
  )
  yield* Effect.promise(() => until(() => existsSync(path)))
  return path
})

const VERSION = "RFB 003.008\n"

/** RFC 6143 §7.3: the size and the name of the screen. */
const begin = Effect.fnUntraced(function*(socket: ConsoleSocket) {
  assert.strictEqual((yield* socket.read(VERSION.length)).toString(), VERSION)
  yield* socket.write(VERSION)
  assert.deepStrictEqual([...yield* socket.read(2)], [1, 1])
  yield* socket.write(Uint8Array.of(1))
  assert.deepStrictEqual([...yield* socket.read(4)], [0, 0, 0, 0])
  yield* socket.write(Uint8Array.of(1))
  const head = yield* socket.read(24)
  const name = (yield* socket.read(head.readUInt32BE(20))).toString()
  return { width: head.readUInt16BE(0), height: head.readUInt16BE(2), bytesPerPixel: head[4]! / 8, name }
})

/** The pixels of the whole screen, uncompressed. */
const screenshot = Effect.fnUntraced(function*(socket: ConsoleSocket, { bytesPerPixel, height, width }: {
  readonly width: number
  readonly height: number
  readonly bytesPerPixel: number
}) {
  const request = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  request.writeUInt16BE(width, 6)
  request.writeUInt16BE(height, 8)
  yield* socket.write(request)
  const count = (yield* socket.read(4)).readUInt16BE(2)
  const parts: Array<Buffer> = []
  for (let rectangle = 0; rectangle < count; rectangle++) {
    const head = yield* socket.read(12)
    assert.strictEqual(head.readInt32BE(8), 0, "raw encoding")
    parts.push(yield* socket.read(head.readUInt16BE(4) * head.readUInt16BE(6) * bytesPerPixel))
  }
  return Buffer.concat(parts)
})

describe.skipIf(!isInstalled)("the console of a machine in QEMU (needs qemu-system-x86_64)", () => {
  it.live("shows its screen", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* startMachine
      const app = yield* startConsoleApp(Effect.succeed({ kind: "unix", path }))
      const browser = yield* app.signIn("owner@example.test", 1)
      const ticket = yield* browser.call({ method: "POST", path: `/accounts/1/instances/${app.instance}/console` })
      const socket = (yield* openConsole(browser, ticket.body.path))!
      const screen = yield* begin(socket)
      assert.match(screen.name, /QEMU/)
      const pixels = yield* screenshot(socket, screen)
      assert.strictEqual(pixels.length, screen.width * screen.height * screen.bytesPerPixel)
    })))
})
