/** Operators see an instance with its tasks and money, and as its customer sees it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const started = Effect.gen(function*() {
  const app = yield* startApp()
  return { app, browser: yield* signInAs(app, "operator") }
})

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  Effect.map(browser.call({ method: "POST", path: `/operator/commands/${name}`, body }), ({ body }) => body)

const buy = Effect.fnUntraced(function*(app: TestApp, body: object = {}) {
  const bought = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, ...body } })
  return bought.body.id as number
})

/** Plan 1 needs an approval. */
const needApproval = Effect.fnUntraced(function*(browser: PanelBrowser) {
  const { plans } = yield* command(browser, "catalogue.export")
  const held = { ...plans[0], auto_deploy: false }
  yield* command(browser, "catalogue.import", { document: { plans: [held] }, dry_run: false })
  return held.name as string
})

describe("a task in the operators' list", () => {
  it.live("names its instance, its account, and the person or key behind it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const id = yield* buy(app, { hostname: "web.example.test" })
      yield* deployed(app, id)
      const [task] = yield* command(browser, "tasks.list", { search: "WEB.example", limit: 5 })
      assert.deepInclude(task, {
        instance_id: id,
        hostname: "web.example.test",
        account_id: 1,
        account_email: "owner@example.test",
        by: "API key emulator",
        ordered: null
      })
      assert.deepStrictEqual(yield* command(browser, "tasks.show", { id: task.id }), task)
      const count = (filter: object) =>
        Effect.map(command(browser, "tasks.list", { limit: 5, ...filter }), (tasks) => tasks.length)
      assert.deepStrictEqual(
        [
          yield* count({ search: "owner@" }),
          yield* count({ account_id: 1, instance_id: id }),
          yield* count({ account_id: 2 }),
          yield* count({ ended_since: "2999-01-01" })
        ],
        [1, 1, 0, 0]
      )
    })))

  it.live("that is held has its order, by whom and for how much, until it is approved or rejected", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const plan = yield* needApproval(browser)
      const [first, second] = [yield* buy(app), yield* buy(app)]
      const held = command(browser, "tasks.list", { status: "held", limit: 5 })
      const tasks = yield* held
      assert.deepStrictEqual(tasks.map((one: { instance_id: number }) => one.instance_id), [second, first])
      assert.deepInclude(tasks[0], { held: true, by: "API key emulator" })
      assert.deepStrictEqual(tasks[0].ordered, { plan, amount: 4.99, currency: "EUR" })
      assert.deepStrictEqual(yield* command(browser, "tasks.list", { status: "queued", limit: 5 }), [])
      const rejected = yield* command(browser, "tasks.reject", { id: tasks[0].id, reason: "no such address" })
      assert.deepInclude(rejected, { refunded: 4.99, reason: "no such address" })
      assert.isFalse((yield* command(browser, "tasks.approve", { id: tasks[1].id })).held)
      assert.deepStrictEqual(yield* held, [])
      yield* deployed(app, first)
    })))
})

describe("an instance on its page for operators", () => {
  it.live("has its account, host, plan and contract, also after its end", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const id = yield* buy(app, { hostname: "web.example.test" })
      const { ipv4 } = yield* deployed(app, id)
      const show = command(browser, "instances.show", { id })
      assert.deepInclude(yield* show, {
        id,
        account_id: 1,
        account_email: "owner@example.test",
        hostname: "web.example.test",
        ipv4,
        status: "running",
        host: null,
        price: 4.99,
        currency: "EUR",
        auto_renew: true,
        deleted_at: null
      })
      yield* command(browser, "instances.terminate", { id, reason: "asked" })
      yield* app.control("POST", "/clock", { advance_ms: 1_000 })
      assert.deepInclude(yield* show, { id, status: "deleted" })
      assert.match((yield* command(browser, "instances.show", { id: 99 })).detail, /^Instance 99 not found/)
    })))

  it.live("is the record that its customer reads, with the public reason and without the note", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const id = yield* buy(app)
      yield* deployed(app, id)
      yield* command(browser, "instances.suspend", { id, reason: "spam", note: "second time" })
      const customers = yield* deployed(app, id, "suspended")
      const seen = yield* browser.call({ path: `/operator/instances/${id}` })
      assert.deepStrictEqual(seen.body, customers)
      assert.strictEqual(seen.body.suspended_reason, "spam")
      assert.notInclude(JSON.stringify(seen.body), "second time")
      for (const path of ["99", "x"]) {
        assert.strictEqual(
          (yield* browser.call({ path: `/operator/instances/${path}` })).status,
          path === "x" ? 422 : 404
        )
      }
    })))

  it.live("is read without counting as a poll of the customer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 2 })
      const id = yield* buy(app)
      for (let poll = 0; poll < 5; poll++) {
        assert.notStrictEqual((yield* browser.call({ path: `/operator/instances/${id}` })).body.status, "running")
      }
      yield* deployed(app, id)
    })))

  it.live("has the graphs of its customer, and lines of the statement of its own", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const [id, other] = [yield* buy(app), yield* buy(app)]
      for (const one of [id, other]) yield* deployed(app, one)
      yield* app.control("POST", "/clock", { advance_ms: 3_600_000 })
      const { body } = yield* browser.call({ path: `/operator/instances/${id}/metrics?range=6h` })
      const { body: own } = yield* app.api({ path: `/instances/${id}/metrics?range=6h` })
      assert.isAbove(body.samples.length, 0)
      assert.deepStrictEqual([body.range, body.step_seconds], [own.range, own.step_seconds])
      const wrong = yield* browser.call({ path: `/operator/instances/${id}/metrics?range=2h` })
      assert.strictEqual(wrong.status, 422)
      const lines = yield* command(browser, "wallet.statement", { account_id: 1, instance_id: other, limit: 10 })
      assert.deepStrictEqual(
        lines.map((line: { instance_id: number; amount: number }) => [line.instance_id, line.amount]),
        [[other, -4.99]]
      )
      // The balance is the wallet's, after the lines of other instances.
      assert.strictEqual(lines[0].balance, 990.02)
    })))
})
