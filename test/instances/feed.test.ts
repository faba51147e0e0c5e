/** The activity feed: newest first, in pages, without parameters or secrets. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TaskPage } from "#contract/Monitoring"
import { taskPage } from "#service/instances/Read"
import { operate } from "#service/operations/Power"
import { Database } from "#service/persistence/sqlite/Database"
import { buy, deployTime, elapse, owner, serviceLayer } from "../support/service.ts"

const busyLife = Effect.gen(function*() {
  const { id } = yield* buy({ root_password: "correct-horse" })
  yield* deployTime
  for (const action of ["stop", "start", "restart"] as const) {
    yield* operate(owner, id, action)
    yield* elapse(300)
  }
  return id
})

describe("the feed", () => {
  it.effect("lists tasks newest first, in pages", () =>
    Effect.gen(function*() {
      const id = yield* busyLife
      const all = yield* taskPage(owner, id, { limit: 20, offset: 0 })
      assert.deepStrictEqual(all.items.map(({ type }) => type), ["restart", "start", "stop", "provision"])
      assert.strictEqual(all.total, 4)
      const page = yield* taskPage(owner, id, { limit: 2, offset: 1 })
      assert.deepStrictEqual(page.items, all.items.slice(1, 3))
      assert.deepInclude(page, { total: 4, limit: 2, offset: 1 })
      assert.deepStrictEqual((yield* taskPage(owner, id, { limit: 2, offset: 9 })).items, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is read at constant cost: its statements search by key, stop at the page, and count nothing", () =>
    Effect.gen(function*() {
      const { connection } = yield* Database
      const id = yield* busyLife
      const prepare = connection.prepare.bind(connection)
      const texts: Array<string> = []
      connection.prepare = (text) => {
        texts.push(text)
        return prepare(text)
      }
      yield* taskPage(owner, id, { limit: 20, offset: 0 })
      assert.isTrue(texts.some((text) => text.includes("FROM tasks")))
      for (const text of texts) {
        const steps = prepare(`EXPLAIN QUERY PLAN ${text}`).all().map(({ detail }) => String(detail))
        for (const step of steps) assert.match(step, /^SEARCH \w+ USING (INTEGER PRIMARY KEY|(COVERING )?INDEX)/, text)
        assert.match(text, /WHERE id = \?|WHERE i.id = \?|LIMIT \?/)
        assert.notMatch(text, /count\(|sum\(|group by|distinct/i)
      }
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is empty beyond its end, however far", () =>
    Effect.gen(function*() {
      const id = yield* busyLife
      const page = yield* taskPage(owner, id, { limit: 20, offset: Number.MAX_SAFE_INTEGER })
      assert.deepStrictEqual([page.items, page.total], [[], 4])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("has the contract's form and shows no secret", () =>
    Effect.gen(function*() {
      const id = yield* busyLife
      const page = yield* taskPage(owner, id, { limit: 20, offset: 0 })
      yield* Schema.decodeUnknownEffect(TaskPage, { onExcessProperty: "error" })(page)
      assert.notInclude(JSON.stringify(page), "correct-horse")
      assert.deepInclude(page.items.at(-1), {
        created_at: "1970-01-01T00:00:00.000Z",
        started_at: "1970-01-01T00:00:00.000Z",
        finished_at: "1970-01-01T00:00:01.000Z"
      })
    }).pipe(Effect.provide(serviceLayer())))
})
