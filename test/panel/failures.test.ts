/** The failed tasks that an account's members see until they are dismissed, and the tasks that they wait for. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const post = (path: string, body: object = {}) => ({ method: "POST", path: `/accounts/1/v1${path}`, body })

/** An instance that runs, and a browser of its customer. */
const started = Effect.gen(function*() {
  const app = yield* startApp()
  const browser = yield* signInAs(app, "customer")
  const { body } = yield* browser.call(post("/instances", { service_id: 1, hostname: "web-1.example.com" }))
  yield* deployed(app, body.id)
  return { app, browser, id: body.id as number }
})

const refuse = (app: TestApp, operation: string, count = 1) =>
  app.control("POST", "/faults", { operation: `driver.${operation}`, driver: "rejected", count })

/** Waits for the end of all tasks. */
const settle = (app: TestApp) => app.control("POST", "/clock", { advance_ms: 1_000 })

const failures = (browser: PanelBrowser, account = 1) =>
  Effect.map(browser.call({ path: `/accounts/${account}/failures` }), ({ body }) => body)

const reinstall = { os: "debian-13" }

describe("failed tasks in the panel", () => {
  it.live("have their instance and their cause, until the same request succeeds", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser, id } = yield* started
      assert.deepStrictEqual(yield* failures(browser), [])
      yield* refuse(app, "reinstall", 2)
      const first = yield* browser.call(post(`/instances/${id}/reinstall`, reinstall))
      yield* settle(app)
      const again = yield* browser.call(post(`/instances/${id}/reinstall`, reinstall))
      yield* settle(app)
      const [failure, ...others] = yield* failures(browser)
      assert.deepStrictEqual(others, [], "only the newest of a kind")
      assert.deepInclude(failure, {
        id: again.body.task_id,
        instance_id: id,
        hostname: "web-1.example.com",
        type: "reinstall",
        status: "failed",
        error: "injected by the emulator (fault rule 1)"
      })
      const ids = `${first.body.task_id},${failure.id},999`
      const { body: tasks } = yield* browser.call({ path: `/accounts/1/tasks?ids=${ids}` })
      assert.deepStrictEqual(tasks.map((task: { status: string }) => task.status), ["failed", "failed"])
      yield* browser.call(post(`/instances/${id}/reinstall`, reinstall))
      yield* settle(app)
      assert.deepStrictEqual(yield* failures(browser), [])
    })))

  it.live("are replaced by any later power action, and end after a week", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser, id } = yield* started
      yield* refuse(app, "stop")
      yield* browser.call(post(`/instances/${id}/stop`))
      yield* settle(app)
      assert.deepStrictEqual((yield* failures(browser)).map(({ type }: { type: string }) => type), ["stop"])
      yield* browser.call(post(`/instances/${id}/restart`))
      yield* settle(app)
      assert.deepStrictEqual(yield* failures(browser), [])
      yield* refuse(app, "snapshot_create")
      yield* browser.call(post(`/instances/${id}/snapshots`, { name: "one" }))
      yield* settle(app)
      assert.strictEqual((yield* failures(browser)).length, 1)
      yield* app.control("POST", "/clock", { advance_ms: 7 * 24 * 3_600_000 })
      const renewed = yield* signInAs(app, "customer")
      assert.deepStrictEqual(yield* failures(renewed), [])
    })))

  it.live("are dismissed for all members, and only by them", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser, id } = yield* started
      yield* refuse(app, "stop")
      const { body } = yield* browser.call(post(`/instances/${id}/stop`))
      yield* settle(app)
      const dismiss = (task: number) => browser.call({ method: "DELETE", path: `/accounts/1/failures/${task}` })
      assert.strictEqual((yield* dismiss(999)).status, 404)
      assert.strictEqual((yield* dismiss(body.task_id)).status, 200)
      assert.deepStrictEqual(yield* failures(yield* signInAs(app, "customer")), [])
      const { body: feed } = yield* app.api({ path: `/instances/${id}/tasks` })
      assert.strictEqual(feed.items[0].status, "failed", "the activity still has it")
    })))

  it.live("of an order name the instance, and its statement has the refund", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      yield* refuse(app, "provision")
      const { body } = yield* browser.call(post("/instances", { service_id: 1 }))
      yield* settle(app)
      const [failure] = yield* failures(browser)
      assert.deepInclude(failure, { type: "provision", instance_id: body.id, hostname: `vps-${body.id}` })
      const path = `/accounts/1/wallet/statement?instance=${body.id}`
      const { body: { items } } = yield* browser.call({ path })
      assert.deepStrictEqual(
        items.map(({ amount, hostname, kind }: Record<string, unknown>) => [kind, amount, hostname]),
        [["refund", 4.99, `vps-${body.id}`], ["instance_create", -4.99, `vps-${body.id}`]]
      )
      assert.deepStrictEqual((yield* browser.call({ path: "/accounts/1/wallet/statement?instance=99" })).body.items, [])
    })))
})
