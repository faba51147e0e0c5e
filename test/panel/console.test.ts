/** Consoles: a ticket opens one connection, for its session, from the panel's own page; and rights that end it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createCipheriv, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { type ConsoleAddress, PoweredOff } from "#service/provisioning/Driver"
import { startApp } from "../support/app.ts"
import { type ConsoleApp, startConsoleApp } from "../support/consoleApp.ts"
import { handshake, openConsole } from "../support/consoleSocket.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"
import { temporaryFolder } from "../support/temporary.ts"

/** A screen that greets like a VNC server, then returns what it gets. */
const serve = (onConnection: (socket: Socket) => void, path?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const server: Server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => socket.destroy())
        onConnection(socket)
      })
      server.listen(path === undefined ? { host: "127.0.0.1", port: 0 } : { path })
      await once(server, "listening")
      return { server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )

const GREETING = "RFB 003.008\n"

const echo = (socket: Socket) => {
  socket.write(GREETING)
  socket.pipe(socket)
}

const echoing = Effect.gen(function*() {
  const path = join(yield* temporaryFolder, "vnc.sock")
  yield* serve(echo, path)
  return { kind: "unix", path } satisfies ConsoleAddress
})

const ticketOf = (browser: PanelBrowser, app: ConsoleApp) =>
  Effect.map(
    browser.call({ method: "POST", path: `/accounts/1/instances/${app.instance}/console` }),
    ({ body }): string => body.path
  )

const start = Effect.gen(function*() {
  const app = yield* startConsoleApp(Effect.succeed(yield* echoing), { VPS_SERVICE_CONSOLE_CHECK_MILLIS: "20" })
  return { app, browser: yield* app.signIn("owner@example.test", 1) }
})

describe("a console", () => {
  it.live("carries bytes in both directions, also large ones, and is in the audit log", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* start
      const socket = (yield* openConsole(browser, yield* ticketOf(browser, app)))!
      assert.strictEqual((yield* socket.read(GREETING.length)).toString(), GREETING)
      const bytes = randomBytes(1_000_000)
      for (let at = 0; at < bytes.length; at += 50_000) yield* socket.write(bytes.subarray(at, at + 50_000))
      assert.isTrue(bytes.equals(yield* socket.read(bytes.length)))
      const { body } = yield* browser.call({ path: "/session" })
      assert.isTrue(body.capabilities.console)
      const newest = yield* app.inside(Effect.flatMap(AuditEntries, ({ after }) => after(0, 99)))
      const entry = newest.at(-1)
      assert.deepInclude(entry, { action: "console.start", accountId: 1, instanceId: app.instance })
      assert.deepInclude(entry!.actor, { kind: "person", name: "owner@example.test", from: "127.0.0.1" })
    })))

  it.live("opens once for a ticket, for its session, from the panel's own page only", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* start
      const colleague = yield* app.signIn("colleague@example.test", 1)
      const path = yield* ticketOf(browser, app)
      assert.deepInclude(yield* handshake(browser, path, "https://evil.example"), { status: 403 })
      assert.deepInclude(yield* handshake(colleague, path), { status: 403 })
      assert.deepInclude(yield* handshake({ origin: app.origin, cookie: "x".repeat(43) }, path), { status: 401 })
      assert.deepInclude(yield* handshake(browser, `${path.slice(0, -1)}_`), { status: 403 })
      assert.isDefined(yield* openConsole(browser, path))
      const again = yield* handshake(browser, path)
      assert.deepStrictEqual([again.status, again.detail.startsWith("This ticket is not valid")], [403, true])
    })))

  it.live("ends when the session does, and when the instance is suspended", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* start
      const other = yield* app.signIn("other@example.test", 1)
      const first = (yield* openConsole(browser, yield* ticketOf(browser, app)))!
      const second = (yield* openConsole(other, yield* ticketOf(other, app)))!
      yield* browser.call({ method: "POST", path: "/sign-out" })
      yield* first.closed
      const { COMMANDS } = yield* Effect.promise(() => import("#service/admin/Commands"))
      yield* app.inside(COMMANDS["instances.suspend"].run({ id: app.instance, reason: "abuse" }))
      yield* second.closed
      const refused = yield* other.call({ method: "POST", path: `/accounts/1/instances/${app.instance}/console` })
      assert.strictEqual(refused.status, 409)
    })))

  it.live("is open three times at most for an instance", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* start
      for (let count = 0; count < 3; count++) {
        assert.isDefined(yield* openConsole(browser, yield* ticketOf(browser, app)))
      }
      assert.deepInclude(yield* handshake(browser, yield* ticketOf(browser, app)), { status: 409 })
    })))

  it.live("of an instance that is off is 503, and of another account 404", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startConsoleApp(Effect.fail(new PoweredOff({})))
      const [browser, stranger] = [
        yield* app.signIn("owner@example.test", 1),
        yield* app.signIn("stranger@example.test", 2)
      ]
      const open = (account: number) => ({
        method: "POST",
        path: `/accounts/${account}/instances/${app.instance}/console`
      })
      const { body, status } = yield* browser.call(open(1))
      assert.deepStrictEqual([status, body.detail], [
        503,
        "The console is unavailable while the instance is off. Start it first."
      ])
      assert.deepStrictEqual([(yield* stranger.call(open(1))).status, (yield* stranger.call(open(2))).status], [
        404,
        404
      ])
    })))

  it.live("does not exist for drivers without one", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      assert.isFalse((yield* browser.call({ path: "/session" })).body.capabilities.console)
      const { body: { id } } = yield* browser.call({
        method: "POST",
        path: "/accounts/1/v1/instances",
        body: { service_id: 1 }
      })
      const { body } = yield* browser.call({ method: "POST", path: `/accounts/1/instances/${id}/console` })
      assert.strictEqual(body.detail, "The instances of this host have no console.")
    })))

  it.live("of a server with a password requires none from the browser", () =>
    Effect.scoped(Effect.gen(function*() {
      const challenge = randomBytes(16)
      let accepted = false
      const { server } = yield* serve(async (socket) => {
        const read = async (bytes: number): Promise<Buffer> => {
          for (;;) {
            const data: Buffer | null = socket.read(bytes)
            if (data !== null) return data
            await once(socket, "readable")
          }
        }
        socket.write(GREETING)
        await read(GREETING.length)
        socket.write(Uint8Array.of(1, 2))
        await read(1)
        socket.write(challenge)
        // The bits of each byte of "password", in reverse, as VNC uses them.
        const key = Buffer.from("0e86ceceeef64e26", "hex")
        const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null).setAutoPadding(false)
        accepted = cipher.update(challenge).equals(await read(16))
        socket.write(new Uint8Array(4))
        socket.pipe(socket)
      })
      const { port } = server.address() as { readonly port: number }
      const password = Redacted.make("password")
      const app = yield* startConsoleApp(Effect.succeed({ kind: "tcp", host: "127.0.0.1", port, password }))
      const browser = yield* app.signIn("owner@example.test", 1)
      const socket = (yield* openConsole(browser, yield* ticketOf(browser, app)))!
      assert.isTrue(accepted)
      assert.strictEqual((yield* socket.read(GREETING.length)).toString(), GREETING)
      yield* socket.write(GREETING)
      assert.deepStrictEqual([...yield* socket.read(2)], [1, 1])
      yield* socket.write(Uint8Array.of(1))
      assert.deepStrictEqual([...yield* socket.read(4)], [0, 0, 0, 0])
      yield* socket.write("hello")
      assert.strictEqual((yield* socket.read(5)).toString(), "hello")
    })))
})
