/** Texts that mean something to a database mean nothing to ours: they are stored and found as what they are. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { DatabaseSync } from "node:sqlite"
import { vi } from "vitest"
import { execute } from "#service/admin/Execute"
import { actorOf, thisOperator } from "#service/admin/Operator"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { sources } from "../tidy/Source.ts"
import { ENDPOINTS, fill } from "../support/endpoints.ts"

/** Part of every hostile text, to recognize it in any output. */
const MARK = "zqx9"

const PAYLOADS = [
  "' OR '1'='1",
  "'; DROP TABLE instances; --",
  "\"; DELETE FROM accounts WHERE \"1\"=\"1",
  "') UNION SELECT digest FROM api_keys --",
  "1; ATTACH DATABASE 'x' AS y",
  "%' ESCAPE '\\",
  "`id`",
  "?1 ?2 :a @b $c",
  "/* */ -- \\",
  "$1::text || pg_sleep(9)",
  "$$; COPY accounts TO PROGRAM 'id'; $$",
  "E'\\x00'",
  "{{7*7}} ${7*7} #{7*7}",
  "<script>alert(1)</script>"
]

/** At most 60 characters, so that every field takes it. */
const hostile = fc.tuple(fc.constantFrom(...PAYLOADS), fc.string({ maxLength: 8, unit: "binary" })).map(
  ([payload, noise]) => [...`${MARK}${payload}${noise}`].filter((one) => one !== "\0" && one !== "\ufffd").join("")
).filter((text) => text.isWellFormed())

/** Names cannot have them. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Texts that are also valid in a header. */
const visible = fc.tuple(fc.constantFrom(...PAYLOADS), fc.string({ maxLength: 12 })).map(([payload, noise]) =>
  `${MARK}${payload}${noise}`.replaceAll(/[^\x21-\x7e]/g, "+")
)

/** Every statement that this process executes, and the database itself. */
const watched = Effect.acquireRelease(
  Effect.sync(() => {
    const statements = new Set<string>()
    const opened: Array<DatabaseSync> = []
    const [prepare, exec] = [DatabaseSync.prototype.prepare, DatabaseSync.prototype.exec]
    const spies = [
      vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function(this: DatabaseSync, sql, ...rest) {
        statements.add(sql)
        opened.push(this)
        return prepare.call(this, sql, ...rest)
      }),
      vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function(this: DatabaseSync, sql) {
        statements.add(sql)
        return exec.call(this, sql)
      })
    ]
    const schema = () => opened[0]!.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").all()
    return { statements, schema, spies }
  }),
  ({ spies }) => Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))
)

const DAY_MILLIS = 86_400_000

const post = (app: TestApp, path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.api({ method: "POST", path, body, headers })

/** The fields that store any text: all are returned unchanged. */
const keepsTexts = Effect.fnUntraced(function*(app: TestApp, id: number, written: string, requestId: string) {
  const text = written.replaceAll(CONTROLS, "")
  const made = yield* post(app, `/instances/${id}/snapshots`, { name: text }, { "x-request-id": requestId })
  assert.strictEqual(made.status, 200)
  assert.strictEqual(made.body.snapshot.name, text)
  const { body: shown } = yield* app.api({ path: `/instances/${id}/snapshots` })
  assert.deepStrictEqual(shown.map(({ name }: { name: string }) => name), [text])
  const { body: feed } = yield* app.api({ path: `/instances/${id}/tasks?limit=1` })
  assert.strictEqual(feed.items[0].request_id, requestId)
  yield* app.api({ method: "DELETE", path: `/instances/${id}/snapshots/${made.body.snapshot.id}` })
  const email = `${text}@b.test`
  const account = yield* app.control("POST", "/accounts", { email, wallet: 1 })
  const whoami = yield* app.api({ path: "/whoami", key: account.body.api_key })
  assert.strictEqual(whoami.body.email, email)
})

/** A coupon of that code takes off ten percent; one of almost that code is unknown. */
const findsCoupons = Effect.fnUntraced(function*(app: TestApp, code: string) {
  const preview = (coupon: string) => post(app, "/instances?dry_run=1", { service_id: 2, coupon_code: coupon })
  assert.strictEqual((yield* preview(code)).status, 400)
  yield* app.inside(
    Effect.orDie(execute("coupons.create", { code, percent: 10, once_per_account: false }, actorOf(thisOperator())))
  )
  assert.strictEqual((yield* preview(code)).body.discount_amount, 1)
  assert.strictEqual((yield* preview(`${code}'`)).status, 400)
})

/** A key buys once, and no other key is taken for it. */
const tellsKeysApart = Effect.fnUntraced(function*(app: TestApp, key: string) {
  const buy = (header: string) => post(app, "/instances", { service_id: 1 }, { "idempotency-key": header })
  const [first, again, other] = yield* Effect.all([buy(key), buy(key), buy(`${key}'`)])
  assert.deepStrictEqual([first.status, again.status, other.status], [201, 201, 201])
  assert.strictEqual(again.body.id, first.body.id)
  assert.notStrictEqual(other.body.id, first.body.id)
})

/** In every field, path and query of the contract: taken, refused or not found, and never a fault. */
const meetsNoFault = Effect.fnUntraced(function*(app: TestApp, id: number, text: string) {
  for (const endpoint of ENDPOINTS) {
    const query = `?limit=${encodeURIComponent(text)}&offset=${encodeURIComponent(text)}&range=${
      encodeURIComponent(text)
    }`
    for (const path of [fill(endpoint, encodeURIComponent(text)), `${fill(endpoint, 999)}${query}`]) {
      const { status } = yield* app.api({ method: endpoint.method, path, body: endpoint.body })
      assert.isBelow(status, 500, `${endpoint.method} ${path}`)
    }
    for (const field of endpoint.texts) {
      const body = { ...endpoint.body, [field]: text }
      const { status } = yield* app.api({ method: endpoint.method, path: fill(endpoint, id), body })
      assert.isBelow(status, 500, `${endpoint.id} ${field}`)
    }
  }
})

/** Enough money, and nothing that is under way when the next text comes. */
const prepared = Effect.fnUntraced(function*() {
  const app = yield* startApp(["--database", ":memory:"])
  yield* app.control("PUT", "/wallet", { balance: 1_000_000 })
  const buy = Effect.gen(function*() {
    const { body } = yield* post(app, "/instances", { service_id: 1, hostname: "web.example.test" })
    yield* deployed(app, body.id)
    return body.id as number
  })
  return { app, id: yield* buy, other: yield* buy }
})

const forEvery = <A>(texts: fc.Arbitrary<A>, runs: number, holds: (text: A) => Effect.Effect<void>) =>
  Effect.promise(() =>
    fc.assert(fc.asyncProperty(texts, (text) => Effect.runPromise(holds(text))), { numRuns: runs, endOnFailure: true })
  )

describe("texts that are SQL elsewhere", () => {
  it.live(
    "are stored unchanged, are in no statement, and do not change the tables",
    () =>
      Effect.gen(function*() {
        const { schema, statements } = yield* watched
        const { app, id, other } = yield* prepared()
        const before = schema()
        yield* forEvery(fc.tuple(hostile, visible), 40, ([text, token]) => keepsTexts(app, id, text, token))
        const codes = fc.uniqueArray(hostile, { minLength: 15, maxLength: 15 })
        const [some] = fc.sample(codes, 1)
        for (const code of some!) yield* findsCoupons(app, code)
        yield* forEvery(
          fc.tuple(visible, fc.uuid()).map((parts) => parts.join("")),
          20,
          (key) => tellsKeysApart(app, key)
        )
        yield* forEvery(hostile, 6, (text) => meetsNoFault(app, other, text))
        yield* app.control("POST", "/clock", { advance_ms: DAY_MILLIS })
        assert.deepStrictEqual(schema(), before)
        assert.deepStrictEqual([...statements].filter((sql) => sql.includes(MARK)), [])
        // It was looked at: there are statements, and the texts have reached the database as values.
        assert.isAbove(statements.size, 50)
        const { body } = yield* app.control("GET", "/ledger")
        assert.isTrue(body.balanced)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("change no statement: the second text meets those of the first", () =>
    Effect.gen(function*() {
      const { statements } = yield* watched
      const { app, id, other } = yield* prepared()
      const all = (text: string) =>
        Effect.gen(function*() {
          yield* keepsTexts(app, id, text, text.replaceAll(/[^\x21-\x7e]/g, "+"))
          yield* tellsKeysApart(app, text.replaceAll(/[^\x21-\x7e]/g, "+"))
          yield* findsCoupons(app, text)
          yield* meetsNoFault(app, other, text)
        })
      // Some statements are prepared on first use, so that the first texts may add new ones.
      for (const text of PAYLOADS.slice(0, 3)) yield* all(`${MARK}${text}`)
      const known = new Set(statements)
      for (const text of PAYLOADS.slice(3)) yield* all(`${MARK}${text}`)
      assert.deepStrictEqual([...statements].filter((sql) => !known.has(sql)), [])
    }).pipe(Effect.scoped), 120_000)
})

/** A statement's first words. */
const SQL = /[`"']\s*(?:SELECT\s|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|DROP TABLE|WITH \w+ AS)/

describe("SQL", () => {
  it("is only in the persistence folder, which receives only values of a request", () => {
    const written = sources().filter(({ path, text }) => /^(?:service|sdk|provider)\//.test(path) && SQL.test(text))
    const [inside, outside] = [true, false].map((is) =>
      written.filter(({ path }) => path.startsWith("service/persistence/") === is)
    )
    assert.deepStrictEqual(outside!.map(({ path }) => path), [])
    assert.isAbove(inside!.length, 10)
  })
})
