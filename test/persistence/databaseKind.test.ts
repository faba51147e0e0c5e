/** A database belongs to a service or to an emulator permanently. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { resolve } from "#service/config/Resolve"
import * as App from "#service/App"
import * as Emulator from "#service/emulator/App"
import * as Database from "#service/persistence/sqlite/Database"
import { limitsLayer } from "../support/limits.ts"
import { temporaryFolder } from "../support/temporary.ts"

/** Both kinds have the same secret, from the environment. */
const VPS_SERVICE_SECRET = "the-same-secret-for-both-0123456789"

const start = (path: string, ...flags: Array<string>) => {
  const environment = { VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_SECRET }
  const settings = resolve(["--database", path, "--port=0", "--request-log=false", ...flags], environment)
  const started: Effect.Effect<unknown, { readonly message: string }, Scope> = settings.emulator
    ? Layer.build(Emulator.layer(settings))
    : Layer.build(App.layer(settings))
  return Effect.scoped(started)
}

const service = (path: string) => start(path)
const emulator = (path: string) => start(path, "--emulator")

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const change = (path: string, ...statements: Array<string>) =>
  Effect.sync(() => {
    const connection = new DatabaseSync(path)
    for (const statement of statements) connection.exec(statement)
    connection.close()
  })

/** As versions before this one left it. */
const UNMARKED = "PRAGMA application_id = 0"

const PLAN = `INSERT INTO data_centers VALUES (1, 'Frankfurt');
  INSERT INTO plans VALUES (1, 'n', 's', NULL, 499, 'EUR', 'monthly', 'vps', NULL, 1, 1, 0, 1, 0)`

const ACCOUNT = `INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at)
  VALUES ('owner@example.test', 'EUR', 'domestic', 1900, 0, 0)`

const KINDS = { service: [service, emulator], emulator: [emulator, service] } as const

describe("a database file", () => {
  it.live.each(["service", "emulator"] as const)(
    "of a %s is refused by the other kind, unchanged",
    (kind) =>
      Effect.gen(function*() {
        const path = `${yield* temporaryFolder}/kind.db`
        const [own, other] = KINDS[kind]
        yield* own(path)
        const before = readFileSync(path)
        const refused = yield* refusal(other(path))
        assert.include(refused, `${path} cannot be opened: it belongs to a`)
        assert.match(refused, kind === "service" ? /omit --emulator/ : /add --emulator/)
        assert.isTrue(readFileSync(path).equals(before))
        yield* own(path)
      })
  )

  it.live.each(
    [
      ["an emulator's seed", emulator, [], "emulator"],
      ["an account", service, [ACCOUNT], "service"],
      ["a catalogue", service, [PLAN], "service"]
    ] as const
  )("of an earlier version that has %s is recognized by it", ([, make, statements, kind]) =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/earlier.db`
      const [own, other] = KINDS[kind]
      yield* make(path)
      yield* change(path, ...statements, UNMARKED)
      assert.include(yield* refusal(other(path)), "it belongs to a")
      yield* own(path)
      yield* change(path, "DELETE FROM api_keys", "DELETE FROM plans WHERE id NOT IN (SELECT plan_id FROM orders)")
      assert.include(yield* refusal(other(path)), "it belongs to a", "from then on it says so itself")
    }))

  it.live("of an earlier version without data becomes the kind that opens it first", () =>
    Effect.gen(function*() {
      for (const [own, other] of Object.values(KINDS)) {
        const path = `${yield* temporaryFolder}/empty.db`
        yield* service(path)
        yield* change(path, UNMARKED)
        yield* own(path)
        assert.include(yield* refusal(other(path)), "it belongs to a")
      }
    }))

  it.live("of another program is refused by both", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/other.db`
      yield* change(path, "CREATE TABLE mine (id INTEGER)", "PRAGMA application_id = 1")
      for (const open of [service, emulator]) {
        assert.include(yield* refusal(open(path)), "it belongs to another program (application id 1)")
      }
    }))

  it.effect("is a service's unless it is opened for an emulator", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/default.db`
      const options = { path, busyTimeoutMillis: 0 }
      const open = (more: object) =>
        Effect.scoped(Layer.build(Layer.fresh(Layer.provide(Database.layer({ ...options, ...more }), limitsLayer()))))
      yield* open({})
      assert.include(yield* refusal(open({ kind: "emulator" })), "it belongs to a service")
    }))
})
