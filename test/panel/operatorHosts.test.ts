/** Operators see what instances use on hosts, and what becomes of them before a host is emptied. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp } from "../support/app.ts"
import { addHostRow } from "../support/hostRows.ts"
import { ageSignIn, signInAs } from "../support/panel.ts"

const started = Effect.gen(function*() {
  const app = yield* startApp()
  const ids: Array<number> = []
  for (const _ of [1, 2]) {
    const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
    yield* deployed(app, id)
    ids.push(id)
  }
  yield* app.control("POST", "/clock", { advance_ms: 600_000 })
  return { app, browser: yield* signInAs(app, "operator"), ids }
})

describe("the use of hosts", () => {
  it.live("is the sum of the newest samples of the instances that run there", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser, ids } = yield* started
      yield* addHostRow(app, "alpha", { instances: ids })
      yield* addHostRow(app, "beta")
      const use = Effect.map(browser.call({ path: "/operator/hosts/use" }), ({ body }) => body)
      const [alpha, beta] = yield* use
      assert.deepInclude(alpha, { name: "alpha", instances: 2, measured: 2 })
      assert.isAbove(alpha.cpus, 0)
      assert.isAtMost(alpha.cpus, 4)
      assert.isAbove(alpha.memory_bytes, 0)
      assert.deepStrictEqual(beta, { name: "beta", instances: 0, measured: 0, cpus: 0, memory_bytes: 0 })
      yield* app.api({ method: "POST", path: `/instances/${ids[0]}/stop` })
      yield* deployed(app, ids[0]!, "stopped")
      const [less] = yield* use
      assert.deepInclude(less, { instances: 2, measured: 1 })
      assert.isBelow(less.memory_bytes, alpha.memory_bytes)
    })))

  it.live("the plans of an evacuation and of a fence need no fresh sign-in, and change nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser, ids } = yield* started
      yield* addHostRow(app, "alpha", { instances: [ids[0]!] })
      yield* addHostRow(app, "beta", { instances: [ids[1]!], lost: true })
      yield* ageSignIn(app, browser)
      const run = (name: string, body: object) =>
        browser.call({ method: "POST", path: `/operator/commands/${name}`, body })
      const states = Effect.map(run("hosts.list", {}), ({ body }) => body.map(({ state }: { state: string }) => state))
      const [move] = (yield* run("hosts.evacuate", { name: "alpha", dry_run: true })).body
      assert.deepInclude(move, { instance_id: ids[0], target: null })
      const input = { name: "beta", confirmed_off: false, from_backups: false }
      const [loss] = (yield* run("hosts.fence", { ...input, dry_run: true })).body
      assert.deepInclude(loss, { instance_id: ids[1], target: null })
      assert.deepStrictEqual(yield* states, ["active", "active"])
      const acting = { ...input, confirmed_off: true }
      assert.strictEqual((yield* run("hosts.fence", acting)).body.reason, "fresh_sign_in")
      assert.strictEqual((yield* run("hosts.evacuate", { name: "alpha", dry_run: false })).body.reason, "fresh_sign_in")
    })))
})
