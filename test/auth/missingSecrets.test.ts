/** A service without the secrets of its database reports that before it serves requests. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as MissingSecrets from "#service/auth/MissingSecrets"
import { StorageUnavailable } from "#service/domain/Errors"
import { ReplicaBus } from "#service/persistence/ReplicaBus"
import { type SecretUse, SecretUses } from "#service/persistence/SecretUses"
import { idsOf, make, Secret } from "#service/config/Secret"

const [OLD, NEW] = ["old-secret-of-the-test-0123456789-0", "new-secret-of-the-test-0123456789-0"] as const
const [old = null, current = null] = idsOf([OLD, NEW])

const ORIGIN = { database: "/var/lib/vps.db", emulator: false, secret: "given" }

const use = (id: string | null, keys: number, tasks = 0): SecretUse => ({ id, keys, tasks })

/** The log and the counts of a start, whose database may change meanwhile. */
const makeStart = (
  given: ReadonlyArray<string>,
  first: ReadonlyArray<SecretUse>,
  ownsDatabase = true,
  origin = ORIGIN
) => {
  const [log, counted]: [Array<string>, Array<readonly [number, number]>] = [[], []]
  let uses = Effect.succeed(first)
  const surroundings = Layer.mergeAll(
    Layer.succeed(Secret, make(given)),
    Layer.mock(SecretUses, { all: () => Effect.suspend(() => uses) }),
    Layer.succeed(ReplicaBus, {
      ownsDatabase,
      publish: () => Effect.void,
      subscribe: () => Effect.void,
      pollMillis: 1_000
    }),
    Layer.succeed(MissingSecrets.MissingSecretsObserver, (keys, passwords) => void counted.push([keys, passwords])),
    Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])
  )
  const start = Layer.build(Layer.provide(MissingSecrets.layer(origin), surroundings))
  return {
    log,
    counted,
    start,
    change: (next: ReadonlyArray<SecretUse>) => void (uses = Effect.succeed(next)),
    cutOff: () => void (uses = Effect.die(new StorageUnavailable({ message: "The database does not answer." })))
  }
}

const refusal = (...start: Parameters<typeof makeStart>) => Effect.scoped(Effect.flip(makeStart(...start).start))

const SILENT: ReadonlyArray<readonly [what: string, given: ReadonlyArray<string>, uses: ReadonlyArray<SecretUse>]> = [
  ["a fresh database", [NEW], []],
  ["the one there is", [OLD], [use(old, 2, 1)]],
  ["a rotation, first step", [OLD, NEW], [use(old, 2, 1)]],
  ["a rotation, second step", [NEW, OLD], [use(old, 1, 1), use(current, 1)]],
  ["a rotation, last step", [NEW], [use(current, 2)]],
  ["what versions made that did not say under which", [NEW], [use(null, 2, 1)]]
]

describe("the secrets of a start", () => {
  it.effect.each(SILENT)("fit, and nothing is said: %s", ([, given, uses]) =>
    Effect.gen(function*() {
      const { counted, log, start } = makeStart(given, uses)
      yield* start
      assert.deepStrictEqual([log, counted], [[], [[0, 0]]])
    }).pipe(Effect.scoped))

  it.effect("of which none opens a key in use are refused, with their ids and what to do", () =>
    Effect.gen(function*() {
      const { message } = yield* refusal([NEW], [use(old, 2, 1)])
      assert.include(
        message,
        `${old} (2 API keys, 1 pending password); configured: ${current}. Set VPS_SERVICE_SECRET to all`
      )
      assert.include(message, "the current one first, in every replica. No API key in use would work")
      assert.include(message, "If the secret is permanently lost, create a key with the configured one")
      assert.include(message, "\"vps-service admin keys create\"), then start again.")
      for (const secret of [OLD, NEW]) assert.notInclude(message, secret)
      const file = yield* refusal([NEW], [use(old, 1)], true, { ...ORIGIN, secret: "" })
      assert.include(file.message, "(1 API key, 0 pending passwords)")
      assert.include(file.message, "Add the missing secret to /var/lib/vps.db.secret, on its own line below")
    }))

  it.effect.each(
    [
      ["some keys", [use(old, 2, 1), use(current, 1)], [2, 1]],
      ["keys of which some may be from versions without marks", [use(old, 2), use(null, 1)], [2, 0]],
      ["pending passwords alone", [use(old, 0, 3)], [0, 3]],
      ["as many keys as passwords", [use(old, 1, 1), use(current, 1)], [1, 1]]
    ] as const
  )("that do not open %s are warned of, once, and counted", ([, uses, expected]) =>
    Effect.gen(function*() {
      const { counted, log, start } = makeStart([NEW], uses)
      yield* start
      assert.deepStrictEqual(counted, [expected])
      assert.strictEqual(log.length, 1)
      assert.deepInclude(JSON.parse(log[0]!), { level: "WARN" })
      assert.include(log[0], `secrets that are not configured: ${old} (`)
      assert.include(log[0], "Set VPS_SERVICE_SECRET to all of them")
      assert.include(log[0], "Until then they are rejected as unknown.")
      assert.include(log[0], "revoke those that are no longer needed.")
    }).pipe(Effect.scoped))

  it.effect("that are several are all named", () =>
    Effect.gen(function*() {
      const { message } = yield* refusal([NEW], [use(old, 1), use("beef", 0, 1)])
      assert.include(message, `${old} (1 API key, 0 pending passwords), beef (0 API keys, 1 pending password);`)
    }))

  it.effect("are checked once by a process that owns the database: no other one creates keys", () =>
    Effect.gen(function*() {
      const { change, counted, log, start } = makeStart([OLD], [use(old, 1)])
      yield* start
      change([use(current, 1)])
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual([counted, log], [[[0, 0]], []])
    }).pipe(Effect.scoped))
})

describe("the secrets of one replica among others", () => {
  it.effect("are looked at again every minute: one that rotates too early is noticed, and said once", () =>
    Effect.gen(function*() {
      const { change, counted, log, start } = makeStart([OLD], [use(old, 2)], false)
      yield* start
      change([use(old, 1), use(current, 1)])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(counted.at(-1), [1, 0])
      assert.include(log.join("\n"), `${current} (1 API key`)
      // A running service continues, even if all keys are affected.
      change([use(current, 2)])
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual([log.length, counted.at(-1)], [2, [2, 0]])
      change([use(old, 2)])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([log.length, counted.at(-1)], [2, [0, 0]])
    }).pipe(Effect.scoped))

  it.effect("are looked at when the database is back, after it was away", () =>
    Effect.gen(function*() {
      const { change, counted, cutOff, log, start } = makeStart([OLD], [use(old, 1)], false)
      yield* start
      cutOff()
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([counted.length, log], [1, []])
      change([use(current, 1)])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([counted.length, log.length], [2, 1])
    }).pipe(Effect.scoped))
})
