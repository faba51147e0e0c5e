/** The machine operations over HTTP: every answer fits the contract, every refusal its status. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { setImmediate } from "node:timers/promises"
import { Backup } from "#contract/Backups"
import { ActionResult, ResetPasswordResult, ResizeResult } from "#contract/Instance"
import { Iso } from "#contract/Isos"
import { LiveStatus, Metrics } from "#contract/Monitoring"
import { RescueResult } from "#contract/Rescue"
import { AvailablePlan } from "#contract/Services"
import { Snapshot, SnapshotResult } from "#contract/Snapshots"
import { type Answer, deployed, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

/** Every field of an answer must be in the contract, and as the contract says. */
const fits = <A, I>(schema: Schema.Codec<A, I>, answer: Answer): A => {
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(answer.body)
}

const bought = (planId = 1) =>
  Effect.gen(function*() {
    const app = yield* App
    const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: planId } })
    yield* deployed(app, body.id)
    return body.id as number
  })

const ask = (method: string, path: string, body?: unknown) =>
  Effect.flatMap(App, (app) => app.api({ method, path: `/instances/${path}`, body }))

/** Reads until no task is open; the test's own timeout bounds it. */
const idle = (id: number): Effect.Effect<void, never, App> =>
  Effect.flatMap(ask("GET", `${id}/status`), ({ body }) =>
    body.task === null
      ? Effect.void
      : Effect.andThen(Effect.promise(() => setImmediate()), Effect.suspend(() => idle(id))))

const acted = (id: number, method: string, path: string, body?: unknown) =>
  Effect.tap(ask(method, `${id}/${path}`, body), () => idle(id))

layer(App.layer, { excludeTestServices: true })("machine operations", (it) => {
  it.effect("reinstall", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const body = { os: "debian-13", os_id: 2, password: "correct-horse" }
      const result = fits(ActionResult, yield* acted(id, "POST", "reinstall", body))
      assert.deepInclude(result, { ok: true, action: "reinstall", status: "reinstalling" })
      assert.isNumber(result.task_id)
      const { body: shown } = yield* ask("GET", `${id}`)
      assert.strictEqual(JSON.parse(shown.provider_data).os, "debian-13")
    }))

  it.effect("reset-password", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const result = fits(ResetPasswordResult, yield* ask("POST", `${id}/reset-password`))
      assert.deepInclude(result, { ok: true, action: "reset_password", show_once: true })
      assert.lengthOf(result.password, 20)
      const { body: shown } = yield* ask("GET", `${id}`)
      assert.strictEqual(result.provider_id, shown.provider_id)
    }))

  it.effect("snapshots: create, list, restore, delete", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      assert.deepStrictEqual(fits(Schema.Array(Snapshot), yield* ask("GET", `${id}/snapshots`)), [])
      const { snapshot } = fits(SnapshotResult, yield* acted(id, "POST", "snapshots", { name: "one" }))
      assert.deepInclude(snapshot, { instance_id: id, name: "one", status: "creating", size_bytes: null })
      const [made] = fits(Schema.Array(Snapshot), yield* ask("GET", `${id}/snapshots`))
      assert.deepInclude(made, { id: snapshot.id, status: "available" })
      const restored = fits(ActionResult, yield* acted(id, "POST", `snapshots/${snapshot.id}/restore`))
      assert.deepInclude(restored, { action: "snapshot_restore", status: "restoring" })
      const deleted = fits(ActionResult, yield* acted(id, "DELETE", `snapshots/${snapshot.id}`))
      assert.deepInclude(deleted, { action: "snapshot_delete", status: "running" })
      assert.deepStrictEqual((yield* ask("GET", `${id}/snapshots`)).body, [])
    }))

  it.effect("snapshots beyond the quota are 409, without Retry-After", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      for (const name of ["one", "two", "three"]) yield* acted(id, "POST", "snapshots", { name })
      const full = yield* ask("POST", `${id}/snapshots`, { name: "four" })
      assert.strictEqual(full.status, 409)
      assert.deepStrictEqual(full.body, {
        detail: "Snapshot limit reached (3). Delete one first."
      })
      assert.isNull(full.headers.get("retry-after"))
    }))

  it.effect("backups: list and restore", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body: made } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(app, made.id)
      const list = app.api({ path: `/instances/${made.id}/backups` })
      assert.deepStrictEqual(fits(Schema.Array(Backup), yield* list), [])
      const moved = yield* app.control("POST", "/clock", { advance_ms: 2 * 24 * 3_600_000 })
      assert.strictEqual(moved.status, 200)
      const [first, ...others] = fits(Schema.Array(Backup), yield* list)
      assert.lengthOf(others, 1)
      assert.deepInclude(first, { instance_id: made.id, kind: "scheduled", status: "available" })
      const path = `/instances/${made.id}/backups/${first!.id}/restore`
      const result = fits(ActionResult, yield* app.api({ method: "POST", path }))
      assert.deepInclude(result, { action: "backup_restore", status: "restoring" })
      yield* deployed(app, made.id)
    }))

  it.effect("isos: list, mount, unmount", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const library = fits(Schema.Array(Iso), yield* ask("GET", `${id}/isos`))
      assert.deepStrictEqual(library.map(({ id: iso, mounted, name }) => [iso, name, mounted]), [
        [1, "rescue", false],
        [2, "debian-netinst", false]
      ])
      const mounted = fits(ActionResult, yield* acted(id, "POST", "iso", { iso_id: 2 }))
      assert.deepInclude(mounted, { ok: true, action: "iso_mount", status: "running" })
      assert.strictEqual((yield* ask("GET", `${id}/status`)).body.iso_id, 2)
      assert.deepInclude(fits(ActionResult, yield* acted(id, "DELETE", "iso")), { action: "iso_unmount" })
      assert.isNull((yield* ask("GET", `${id}/status`)).body.iso_id)
    }))

  it.effect("rescue: enter and exit", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const entered = fits(RescueResult, yield* ask("POST", `${id}/rescue`))
      assert.deepStrictEqual(entered, { ok: true, action: "rescue_enter", boot_mode: "rescue", restarted: true })
      assert.strictEqual((yield* ask("GET", `${id}`)).body.status, "rescue")
      const left = fits(RescueResult, yield* ask("DELETE", `${id}/rescue`))
      assert.deepStrictEqual(left, { ok: true, action: "rescue_exit", boot_mode: "disk", restarted: true })
      assert.strictEqual((yield* ask("GET", `${id}`)).body.status, "running")
    }))

  it.effect("status and metrics", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const status = fits(LiveStatus, yield* ask("GET", `${id}/status`))
      assert.deepInclude(status, { instance_id: id, status: "running", power: "on", boot_mode: "disk" })
      assert.deepInclude(fits(Metrics, yield* ask("GET", `${id}/metrics`)), { range: "1h", step_seconds: 10 })
      for (const [range, step] of [["6h", 60], ["24h", 300], ["7d", 3_600], ["30d", 21_600]] as const) {
        const found = fits(Metrics, yield* ask("GET", `${id}/metrics?range=${range}`))
        assert.deepInclude(found, { range, step_seconds: step })
      }
    }))

  it.effect("available-plans and resize", () =>
    Effect.gen(function*() {
      const id = yield* bought()
      const plans = fits(Schema.Array(AvailablePlan), yield* ask("GET", `${id}/available-plans`))
      assert.deepStrictEqual(plans.map((each) => [each.id, each.direction]), [[2, "upgrade"], [3, "upgrade"]])
      const result = fits(ResizeResult, yield* acted(id, "POST", "resize", { service_id: 2 }))
      assert.deepInclude(result, { action: "resize", status: "resizing", currency: "EUR" })
      assert.closeTo(result.charge_amount, 5, 0.01)
      assert.strictEqual((yield* ask("GET", `${id}`)).body.order.service_id, 2)
      const again = yield* ask("POST", `${id}/resize`, { service_id: 2 })
      assert.strictEqual(again.status, 409)
      assert.deepStrictEqual(again.body, { detail: "The instance is already on plan 2." })
    }))

  it.effect.each<readonly [number, number, string]>([
    [99, 404, "does not exist"],
    [6, 404, "no longer sold"],
    [4, 400, "another data centre"],
    [5, 400, "dedicated"],
    [7, 400, "hosting"]
  ])("a resize to plan %i is %i: %s", ([planId, status, words]) =>
    Effect.gen(function*() {
      const id = yield* bought()
      const answer = yield* ask("POST", `${id}/resize`, { service_id: planId })
      assert.strictEqual(answer.status, status)
      assert.include(answer.body.detail, words)
    }))

  it.effect("a resize that the wallet does not cover is 402, and charges nothing", () =>
    Effect.gen(function*() {
      const app = yield* App
      const poor = { email: "poor@example.test", wallet: 5 }
      const { api_key: key } = (yield* app.control("POST", "/accounts", poor)).body
      const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, key })
      while ((yield* app.api({ path: `/instances/${body.id}`, key })).body.status !== "running") {
        yield* Effect.promise(() => setImmediate())
      }
      const path = `/instances/${body.id}/resize`
      const answer = yield* app.api({ method: "POST", path, body: { service_id: 2 }, key })
      assert.strictEqual(answer.status, 402)
      assert.include(answer.body.detail, "the wallet holds 0.01 EUR, but this costs")
    }))

  describe("a dedicated machine", () => {
    it.effect.each<readonly [string, string, unknown]>([
      ["GET", "snapshots", undefined],
      ["POST", "snapshots", { name: "one" }],
      ["POST", "snapshots/1/restore", undefined],
      ["DELETE", "snapshots/1", undefined],
      ["GET", "backups", undefined],
      ["POST", "backups/1/restore", undefined],
      ["GET", "available-plans", undefined],
      ["POST", "resize", { service_id: 1 }]
    ])("%s %s is 400", ([method, path, body]) =>
      Effect.gen(function*() {
        const id = yield* bought(5)
        const answer = yield* ask(method, `${id}/${path}`, body)
        assert.strictEqual(answer.status, 400)
        assert.include(answer.body.detail, "dedicated")
      }))
  })
})
