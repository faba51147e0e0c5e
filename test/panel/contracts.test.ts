/** The facts about contracts that members see besides their instances. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { suspend, terminate } from "#service/admin/commands/Instances"
import { startApp, type TestApp } from "../support/app.ts"
import { signInAs } from "../support/panel.ts"

const DAY = 86_400_000

const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })

const started = Effect.gen(function*() {
  const app = yield* startApp()
  const browser = yield* signInAs(app, "customer")
  for (const hostname of ["web", "db"]) {
    yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname } })
  }
  yield* advance(app, 60_000)
  const contracts = Effect.map(browser.call({ path: "/accounts/1/contracts" }), ({ body }) => body)
  return { app, browser, contracts }
})

describe("the contracts of an account", () => {
  it.live("have the price that was announced, as the customer pays it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, contracts } = yield* started
      assert.deepStrictEqual(yield* contracts, { prices: [], suspended: [], ended: [] })
      const operator = yield* signInAs(app, "operator")
      const { body: { now } } = yield* app.control("GET", "/clock")
      const from = new Date(Date.parse(now) + 40 * DAY).toISOString()
      const body = { id: 1, price: 7.77, from, dry_run: false, replace: false }
      const { status } = yield* operator.call({ method: "POST", path: "/operator/commands/plans.reprice", body })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual((yield* contracts).prices, [
        { instance_id: 1, charge: 7.77, from },
        { instance_id: 2, charge: 7.77, from }
      ])
    })))

  it.live("say what a suspension costs", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, contracts } = yield* started
      yield* app.inside(Effect.orDie(suspend({ id: 1, reason: "spam" })))
      yield* app.inside(Effect.orDie(suspend({ id: 2, reason: "spam", charged: true })))
      assert.deepStrictEqual((yield* contracts).suspended, [
        { instance_id: 1, charge: null },
        { instance_id: 2, charge: 4.99 }
      ])
    })))

  it.live("say what was deleted, when, and why, for 30 days", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, contracts } = yield* started
      yield* app.inside(Effect.orDie(terminate({ id: 2, reason: "abuse" })))
      yield* advance(app, 60_000)
      const [ended, ...others] = (yield* contracts).ended
      assert.deepStrictEqual(others, [])
      assert.deepInclude(ended, { instance_id: 2, hostname: "db", plan: "VPS S", by_host: true })
      assert.isNotNull(ended.deleted_at)
      yield* app.control("PUT", "/wallet", { balance: 1 })
      yield* advance(app, 29.5 * DAY)
      assert.deepStrictEqual((yield* contracts).ended.map(({ instance_id: id }: { instance_id: number }) => id), [2])
      yield* advance(app, 9 * DAY)
      assert.deepStrictEqual(
        (yield* contracts).ended.map((
          { by_host, hostname }: { by_host: boolean; hostname: string }
        ) => [hostname, by_host]),
        [["web", false]]
      )
    })))
})
