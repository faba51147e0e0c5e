/** The transition table over HTTP: each operation in each state is done, needs nothing, or is 409. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type Condition,
  CONDITIONS,
  INSTANCE_OPERATIONS,
  type InstanceOperation
} from "#service/domain/InstanceMachine"
import { Backups } from "#service/persistence/Backups"
import { Instances } from "#service/persistence/Instances"
import { Snapshots } from "#service/persistence/Snapshots"
import { Transaction } from "#service/persistence/Transaction"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { TRANSITIONS } from "../support/transitions.ts"
import { setLifecycle } from "../support/lifecycle.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(
    App,
    Effect.tap(startApp(), ({ control }) => control("PUT", "/wallet", { balance: 5_000 }))
  )
}

interface Made {
  readonly id: number
  readonly ip: string
  readonly snapshot: number
  readonly backup: number
}

/** The request for each operation. */
const REQUESTS: Readonly<
  Record<InstanceOperation, (made: Made) => readonly [method: string, path: string, body?: object]>
> = {
  start: () => ["POST", "start"],
  stop: () => ["POST", "stop"],
  restart: () => ["POST", "restart"],
  reinstall: () => ["POST", "reinstall", { os: "debian-13" }],
  resize: () => ["POST", "resize", { service_id: 2 }],
  reset_password: () => ["POST", "reset-password"],
  set_hostname: () => ["PATCH", "hostname", { hostname: "new" }],
  set_rdns: ({ ip }) => ["POST", "rdns", { ip, ptr: "new.example.test" }],
  snapshot_create: () => ["POST", "snapshots", { name: "another" }],
  snapshot_restore: ({ snapshot }) => ["POST", `snapshots/${snapshot}/restore`],
  backup_restore: ({ backup }) => ["POST", `backups/${backup}/restore`],
  snapshot_delete: ({ snapshot }) => ["DELETE", `snapshots/${snapshot}`],
  iso_mount: () => ["POST", "iso", { iso_id: 1 }],
  iso_unmount: () => ["DELETE", "iso"],
  rescue_enter: () => ["POST", "rescue"],
  rescue_exit: () => ["DELETE", "rescue"]
}

/** An instance with a snapshot, a backup and ISO 2 in its drive. They are written to the database for speed. */
const furnished = Effect.gen(function*() {
  const app = yield* App
  const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  const { id, ipv4 } = yield* deployed(app, body.id)
  const parts = yield* app.inside(Effect.gen(function*() {
    const [snapshots, backups, instances] = [yield* Snapshots, yield* Backups, yield* Instances]
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const snapshot = yield* snapshots.insert({ instanceId: id, name: "one", os: "debian-12", at: 0 })
      yield* snapshots.setAvailable(snapshot, 1)
      const backup = yield* backups.insert({ instanceId: id, os: "debian-12", at: 0, expiresAt: 1 })
      yield* backups.setAvailable(backup, 1)
      yield* instances.setIso(id, 2)
      return { snapshot, backup }
    }))
  }))
  return { id, ip: ipv4!, ...parts } satisfies Made
})

/** Brings it into the state: over HTTP where a customer can. */
const bring = Effect.fnUntraced(function*(id: number, condition: Condition) {
  const app = yield* App
  const at = `/instances/${id}`
  if (condition === "running") return
  if (condition === "rescue") return void (yield* app.api({ method: "POST", path: `${at}/rescue` }))
  if (condition === "stopped") {
    yield* app.api({ method: "POST", path: `${at}/stop` })
    return void (yield* deployed(app, id, "stopped"))
  }
  // The app has the service, but use cases cannot see it.
  yield* app.inside(setLifecycle(id, condition) as Effect.Effect<number>)
})

const tasksOf = (id: number) =>
  Effect.flatMap(
    App,
    ({ api }) => Effect.map(api({ path: `/instances/${id}/tasks` }), ({ body }) => body.total as number)
  )

layer(App.layer, { excludeTestServices: true })("over HTTP", (test) => {
  describe.each(INSTANCE_OPERATIONS)("%s", (operation) => {
    const expected = TRANSITIONS[operation].split(" ")
    test.effect.each(CONDITIONS.map((name, index) => [name, expected[index]!] as const))(
      "of an instance that is %s: %s",
      ([condition, verdict]) =>
        Effect.gen(function*() {
          const app = yield* App
          const made = yield* furnished
          yield* bring(made.id, condition)
          const before = yield* tasksOf(made.id)
          const [method, path, body] = REQUESTS[operation](made)
          const answer = yield* app.api({ method, path: `/instances/${made.id}/${path}`, body })
          assert.strictEqual(answer.status, verdict === "no" ? 409 : 200, JSON.stringify(answer.body))
          assert.strictEqual(yield* tasksOf(made.id), before + (verdict === "yes" ? 1 : 0))
          assert.isNull(answer.headers.get("retry-after"))
          if (verdict !== "no") return assert.deepInclude(answer.body, { ok: true, action: operation })
          const refusal = `The operation ${operation} is not allowed while the instance is ${condition}. `
          assert.isTrue(answer.body.detail.startsWith(refusal), answer.body.detail)
          assert.isAbove(answer.body.detail.length, refusal.length, "it says what to do")
        })
    )
  })
})
