/**
 * The service's secrets: where they are, what they protect, and what happens when one is missing.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as MissingSecrets from "#service/auth/MissingSecrets"
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  forget,
  idsOf,
  layer,
  load,
  make,
  readSecrets,
  rotate,
  Secret,
  secretIdOf,
  secretPath,
  type SecretSource
} from "#service/config/Secret"
import { temporaryFolder } from "../support/temporary.ts"
import { StorageUnavailable } from "#service/domain/Errors"
import { JobLeases } from "#service/persistence/JobLeases"
import { Transaction } from "#service/persistence/Transaction"
import { ReplicaBus } from "#service/persistence/ReplicaBus"
import { type SecretUse, SecretUses } from "#service/persistence/SecretUses"

const FIRST = "first-secret-of-the-test-0123456789"
const SECOND = "second-secret-of-the-test-0123456789"

describe("the service's secret", () => {
  it("seals and opens; the same text never looks the same twice", () => {
    const secret = make([FIRST])
    const sealed = secret.seal("hunter2")
    assert.notInclude(sealed, "hunter2")
    assert.notStrictEqual(secret.seal("hunter2"), sealed)
    assert.strictEqual(secret.open(sealed), "hunter2")
  })

  it("after a rotation opens and finds what the older one made", () => {
    const [before, after] = [make([FIRST]), make([SECOND, FIRST])]
    assert.strictEqual(after.open(before.seal("hunter2")), "hunter2")
    assert.include(after.digests("key"), before.digest("key"))
    assert.strictEqual(after.digest("key"), make([SECOND]).digest("key"))
    assert.strictEqual(after.digests("key")[0], after.digest("key"))
  })

  it("opens and finds what versions without ids have made", () => {
    const [before, after] = [make([FIRST]), make([SECOND, FIRST])]
    const bare = (stored: string) => stored.slice(stored.indexOf(":") + 1)
    assert.strictEqual(after.open(bare(before.seal("hunter2"))), "hunter2")
    assert.include(after.digests("key"), bare(before.digest("key")))
  })

  it("names the secret of a digest without revealing it", () => {
    const [id] = idsOf([FIRST])
    assert.match(id!, /^[0-9a-f]{8}$/)
    for (const made of [make([FIRST]).digest("key"), make([FIRST]).seal("hunter2")]) {
      assert.strictEqual(secretIdOf(made), id)
      assert.isUndefined(secretIdOf(made.slice(9)))
    }
    assert.notInclude(idsOf([SECOND]), id)
  })

  it("refuses what another secret sealed, and what was tampered with", () => {
    const sealed = make([FIRST]).seal("hunter2")
    assert.throws(() => make([SECOND]).open(sealed), /VPS_SERVICE_SECRET is not the one/)
    const bytes = Buffer.from(sealed, "base64")
    bytes[bytes.length - 1]! ^= 1
    assert.throws(() => make([FIRST]).open(bytes.toString("base64")), /VPS_SERVICE_SECRET/)
  })

  it("hashes a text so that it cannot be recognized without the secret", () => {
    const mark = (secret: string, text: string) => make([secret]).markers[0].mark(text)
    assert.match(mark(FIRST, "hunter2"), /^[0-9a-f]{16}$/)
    assert.strictEqual(mark(FIRST, "hunter2"), mark(FIRST, "hunter2"))
    assert.notStrictEqual(mark(FIRST, "hunter2"), mark(FIRST, "hunter3"))
    assert.notStrictEqual(mark(FIRST, "hunter2"), mark(SECOND, "hunter2"))
  })

  it("finds, compares and opens what an earlier release has stored", () => {
    const secret = make([FIRST])
    const bare = "071f5c2a2949ab78f3594fd6c0bbe612fa92d65c4e7cf4661a03e0bfc88a9a10"
    assert.deepStrictEqual(secret.digests("key"), [`${secret.markers[0].id}:${bare}`, bare])
    assert.strictEqual(secret.markers[0].mark("hostname=web"), "6a5d0d557b6096ce")
    assert.strictEqual(secret.open("G/JNNA8/pg8kxOBvyprcENI+BpV+ykWdDWdim6htQ0BNlTo="), "hunter2")
  })

  it("refuses to be absent, or shorter than 32 characters, also an older one", () => {
    assert.throws(() => make([]), /at least 32 characters/)
    assert.throws(() => make(["x".repeat(31)]), /at least 32 characters/)
    assert.throws(() => make([FIRST, "short"]), /at least 32 characters/)
    assert.strictEqual(make(["x".repeat(32)]).digest("key").length, 8 + 1 + 64)
    assert.throws(() => load({ secret: `${FIRST},short`, emulator: false, database: ":memory:" }), /at least 32/)
  })

  it.effect("is made once beside a database file, for its owner only", () =>
    Effect.gen(function*() {
      const database = join(yield* temporaryFolder, "vps.db")
      const sealed = load({ secret: "", emulator: false, database }).seal("hunter2")
      assert.strictEqual(load({ secret: "", emulator: false, database }).open(sealed), "hunter2")
      assert.strictEqual(statSync(`${database}.secret`).mode & 0o777, 0o600)
      const written = readFileSync(`${database}.secret`, "utf8")
      assert.match(written, /^[0-9a-f]{64}\n$/)
      // The content of the file is a valid setting for replicas that share the database.
      assert.strictEqual(make([written.trim()]).open(sealed), "hunter2")
    }))

  it.effect("is rotated in its file: the new one first, the older ones until they are forgotten", () =>
    Effect.gen(function*() {
      const source = { secret: "", emulator: false, database: join(yield* temporaryFolder, "vps.db") }
      const [before, path] = [load(source), secretPath(source.database)]
      const first = readSecrets(path)
      const ids = rotate(path)
      assert.deepStrictEqual([readSecrets(path)[1], statSync(path).mode & 0o777], [first[0], 0o600])
      assert.deepStrictEqual(ids, idsOf(readSecrets(path)))
      assert.strictEqual(load(source).open(before.seal("hunter2")), "hunter2")
      assert.deepStrictEqual(forget(path), idsOf(first))
      assert.throws(() => load(source).open(before.seal("hunter2")), /not the one/)
      assert.deepStrictEqual(readdirSync(dirname(path)), ["vps.db.secret"])
    }))

  it.effect("is closed in its file to other users, and says so; root's file may be readable by its group", () =>
    Effect.gen(function*() {
      const source = { secret: "", emulator: false, database: join(yield* temporaryFolder, "vps.db") }
      const path = secretPath(source.database)
      const warnings: Array<unknown> = []
      const logger = Logger.make(({ message }) => void warnings.push(message))
      const start = Effect.scoped(Layer.build(layer(source))).pipe(Effect.provide(Logger.layer([logger])))
      yield* start
      assert.deepStrictEqual(warnings, [])
      chmodSync(path, 0o644)
      yield* start
      const groupMayRead = statSync(path).uid === 0
      assert.strictEqual(statSync(path).mode & 0o777, groupMayRead ? 0o640 : 0o600)
      assert.include(String(warnings), `${path} was accessible to other users`)
      yield* start
      assert.lengthOf(warnings, 1)
    }))

  it.effect("is read from between empty lines of its file, and an empty file is rejected", () =>
    Effect.gen(function*() {
      const source = { secret: "", emulator: false, database: join(yield* temporaryFolder, "vps.db") }
      const path = secretPath(source.database)
      writeFileSync(path, `\n  ${SECOND}  \n\n${FIRST}\n`)
      assert.deepStrictEqual(readSecrets(path), [SECOND, FIRST])
      writeFileSync(path, " \n")
      assert.throws(() => load(source), `${path} is empty. Restore the service's secret.`)
    }))

  it.effect("in the environment leaves the file of another one alone", () =>
    Effect.gen(function*() {
      const source = { emulator: false, database: join(yield* temporaryFolder, "vps.db") }
      const path = secretPath(source.database)
      writeFileSync(path, `${SECOND}\n`, { mode: 0o644 })
      for (const own of [{ secret: FIRST }, { secret: "", emulator: true }]) {
        yield* Effect.scoped(Layer.build(layer({ ...source, ...own })))
      }
      assert.strictEqual(statSync(path).mode & 0o777, 0o644)
    }))

  it.effect.skipIf(process.geteuid?.() !== 0)(
    "that root rotates stays readable for the service (needs root)",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const source = { secret: "", emulator: false, database: join(folder, "vps.db") }
        const path = secretPath(source.database)
        const access = () => [statSync(path).uid, statSync(path).gid, statSync(path).mode & 0o777]
        chownSync(folder, 1_234, 1_235)
        load(source)
        assert.deepStrictEqual(access(), [1_234, 1_235, 0o600])
        chownSync(path, 0, 1_235)
        chmodSync(path, 0o640)
        rotate(path)
        assert.deepStrictEqual(access(), [0, 1_235, 0o640])
        forget(path)
        assert.deepStrictEqual(access(), [0, 1_235, 0o640])
      })
  )

  it("may be several, parted by commas, the first for new values", () => {
    const both = load({ secret: ` ${SECOND} , ${FIRST} `, emulator: false, database: ":memory:" })
    assert.deepStrictEqual(both.digests("key").slice(0, 2), [SECOND, FIRST].map((one) => make([one]).digest("key")))
    assert.strictEqual(both.open(make([FIRST]).seal("hunter2")), "hunter2")
  })

  it("of a database in memory is another each time", () => {
    const source = { secret: "", emulator: false, database: ":memory:" }
    assert.notStrictEqual(load(source).digest("key"), load(source).digest("key"))
  })

  it("is required for PostgreSQL, where several processes share it", () => {
    const source = { secret: "", emulator: false, database: "postgres://127.0.0.1/vps" }
    assert.throws(() => load(source), /is not set. PostgreSQL requires it.*openssl rand/)
    assert.isString(load({ ...source, secret: FIRST }).digest("key"))
  })

  it.effect("that is unusable is reported with the reason", () =>
    Effect.gen(function*() {
      const why = (source: SecretSource) => Effect.flip(Effect.scoped(Layer.build(layer(source))))
      const source = { secret: "short", emulator: false, database: ":memory:" }
      assert.deepStrictEqual((yield* why(source)).message, "VPS_SERVICE_SECRET should have at least 32 characters.")
      const nowhere = join(yield* temporaryFolder, "no-such-folder", "vps.db")
      const unwritable = yield* why({ ...source, secret: "", database: nowhere })
      assert.strictEqual(unwritable._tag, "SecretUnusable")
      assert.include(unwritable.message, `ENOENT: no such file or directory, open '${nowhere}.secret`)
    }))

  it.effect("of the emulator is fixed and writes no file", () =>
    Effect.gen(function*() {
      const source = { secret: "", emulator: true, database: join(yield* temporaryFolder, "vps.db") }
      assert.strictEqual(load(source).digest("key"), load(source).digest("key"))
      assert.isFalse(existsSync(`${source.database}.secret`))
    }))
})

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
    Layer.succeed(JobLeases, { take: () => Effect.succeed(true), held: () => Effect.succeed([]) }),
    Layer.mock(Transaction, { run: (useCase) => useCase, runLocking: () => (useCase) => useCase, pending: () => 0 }),
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
