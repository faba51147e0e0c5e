/** Refused attempts to sign in are in the audit log, and however many there are, they do not fill it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { AuditEntry } from "#service/domain/AuditEntry"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { startApp, type TestApp } from "../support/app.ts"
import { Device } from "../support/authenticator.ts"
import { PanelBrowser, signInAs } from "../support/panel.ts"
import { temporaryFolder } from "../support/temporary.ts"

const refused = (app: TestApp) =>
  Effect.map(
    app.inside(Effect.flatMap(AuditEntries, ({ after }) => after(0, 1_000))),
    (entries) => entries.filter(({ action }) => action === "sign_in.refused")
  )

const detailsOf = ({ details }: AuditEntry): Readonly<Record<string, unknown>> => JSON.parse(details)

/** A guess of a client behind the proxy on this computer. */
const guess = (app: TestApp, address: string) =>
  new PanelBrowser(app.origin).call({
    method: "POST",
    path: "/sign-in/link",
    body: { token: "x".repeat(43) },
    headers: { "x-forwarded-for": address }
  })

const PROXY = ["--trusted-proxies", "127.0.0.1"]

/** Stops the service after some attempts; returns what its log says about them. */
const afterStop = <E, R>(
  flags: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  attempts: (app: TestApp) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function*() {
    const database = ["--database", join(yield* temporaryFolder, "emulator.db")]
    yield* Effect.scoped(Effect.flatMap(startApp([...database, ...flags], environment), attempts))
    return yield* refused(yield* startApp(database))
  })

describe("refused attempts to sign in", () => {
  it.live("of an address are one entry at once, and one with the number of the others", () =>
    Effect.scoped(Effect.gen(function*() {
      const [first, others, ...more] = yield* afterStop(
        [...PROXY, "--rate-limits"],
        { VPS_SERVICE_SIGN_INS_PER_HOUR: "3" },
        Effect.fnUntraced(function*(app) {
          for (const status of [403, 403, 403, 429, 429]) {
            assert.strictEqual((yield* guess(app, "192.0.2.7")).status, status)
          }
          const entries = yield* refused(app)
          assert.deepStrictEqual(entries.map(({ actor }) => actor.from), ["192.0.2.7"])
        })
      )
      assert.deepInclude(first, { outcome: "rejected", error: "The link is not valid." })
      assert.deepInclude(first!.actor, { kind: "person", personId: null, name: "unknown" })
      assert.deepStrictEqual(detailsOf(first!), { count: 1, links: 1 })
      assert.deepInclude(detailsOf(others!), { count: 4, links: 2, over_limit: 2 })
      assert.strictEqual(others!.actor.from, "192.0.2.7")
      assert.deepStrictEqual(more, [])
    })))

  it.live("of many addresses share two entries beyond a number of them, as those of one IPv6 network do", () =>
    Effect.scoped(Effect.gen(function*() {
      const entries = yield* afterStop(
        PROXY,
        { VPS_SERVICE_REFUSED_SIGN_IN_ADDRESSES_MAX: "2" },
        Effect.fnUntraced(function*(app) {
          for (const address of ["192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.2", "192.0.2.3", "192.0.2.4"]) {
            yield* guess(app, address)
          }
        })
      )
      assert.deepStrictEqual(entries.map((entry) => [entry.actor.from, detailsOf(entry)["count"]]), [
        ["192.0.2.1", 1],
        ["2001:db8::1", 1],
        ["other addresses", 1],
        ["2001:db8:0:0", 1],
        ["other addresses", 2]
      ])
    })))

  it.live("are counted until a time has passed, while the service runs", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp(PROXY, { VPS_SERVICE_REFUSED_SIGN_INS_MILLIS: "50" })
      const summaries = Effect.map(refused(app), (entries) => entries.map((entry) => "since" in detailsOf(entry)))
      while (!(yield* summaries).includes(true)) yield* guess(app, "192.0.2.7")
      // The next attempt is a first one again.
      while ((yield* summaries).lastIndexOf(false) < (yield* summaries).indexOf(true)) yield* guess(app, "192.0.2.7")
    })))

  it.live("with a passkey are recorded, and those of a session with the name of its person", () =>
    Effect.scoped(Effect.gen(function*() {
      const started = yield* startApp(PROXY)
      const app = { ...started, origin: started.origin.replace("127.0.0.1", "localhost") }
      const [browser, device] = [yield* signInAs(app, "customer"), new Device()]
      const { body } = yield* browser.call({ method: "POST", path: "/me/passkeys/options" })
      const credential = device.create(body, browser)
      yield* browser.call({ method: "POST", path: "/me/passkeys", body: { name: "Phone", credential } })
      const forge = Effect.fnUntraced(function*(path: string, address: string) {
        const { body: options } = yield* browser.call({ method: "POST", path: `${path}/options` })
        const forged = device.get(options, { origin: "https://evil.example" })
        const headers = { "x-forwarded-for": address }
        return (yield* browser.call({ method: "POST", path, body: { credential: forged }, headers })).status
      })
      assert.strictEqual(yield* forge("/session/fresh", "192.0.2.1"), 403)
      assert.strictEqual(yield* forge("/sign-in/passkey", "192.0.2.2"), 403)
      assert.deepStrictEqual((yield* refused(app)).map((entry) => [entry.actor.name, detailsOf(entry)]), [
        ["owner@example.test", { count: 1, confirmations: 1 }],
        ["unknown", { count: 1, passkeys: 1 }]
      ])
    })))
})
