/** Calls that wait for an answer that never comes: the error does not guess, and a system task finds out. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveStatus } from "#service/instances/Monitoring"
import { UNRECONCILED } from "#service/operations/Registry"
import { enterRescue } from "#service/operations/Rescue"
import { resetPassword } from "#service/operations/ResetPassword"
import { setHostname } from "#service/operations/SetHostname"
import { setRdns } from "#service/operations/SetRdns"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Tasks } from "#service/persistence/Tasks"
import { Unavailable } from "#service/provisioning/Driver"
import { running, waited } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const away = new Unavailable({ reason: "away" })

const hostname = (id: number) => Effect.map(show(id), (shown) => JSON.parse(shown.provider_data!).hostname as string)

/** The tasks after the provisioning, each with its actor. */
const feed = Effect.map(
  allTasks,
  (tasks) => tasks.slice(1).map(({ actor, status, type }) => `${actor} ${type} ${status}`)
)

const unconfirmed = (operation: string) => ({ _tag: "UpstreamFailed", operation, outcome: "unknown" }) as const

describe("a host name whose answer was lost", () => {
  it.effect.each([["lost", "new.example.test"], [away, "web.example.test"]] as const)(
    "(%s) is what the upstream says, and the call can be repeated",
    ([mishap, expected]) =>
      Effect.gen(function*() {
        const id = yield* running()
        ;(yield* Upstream).mishaps.push(mishap)
        const failed = yield* Effect.flip(waited(setHostname(owner, id, "new.example.test")))
        assert.deepInclude(failed, unconfirmed("set_hostname"))
        assert.strictEqual(yield* hostname(id), expected)
        assert.deepStrictEqual(yield* feed, ["api_key set_hostname failed", "system set_hostname succeeded"])
        yield* waited(setHostname(owner, id, "newer.example.test"))
        assert.strictEqual(yield* hostname(id), "newer.example.test")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("is only read, not set again: the upstream gets no second request", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const upstream = yield* Upstream
      upstream.calls.length = 0
      upstream.mishaps.push(away)
      yield* Effect.flip(waited(setHostname(owner, id, "new.example.test")))
      const key = "task-2-0-set_hostname"
      assert.deepStrictEqual(upstream.calls, [{ method: "submit", key }, { method: "poll", key }])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a PTR record whose answer was lost", () => {
  it.effect("is settled, and the call can be repeated", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push("lost")
      const failed = yield* Effect.flip(waited(setRdns(owner, id, "198.18.0.1", "one.example.test")))
      assert.deepInclude(failed, unconfirmed("set_rdns"))
      assert.strictEqual(yield* (yield* SimulatedMachines).ptr("198.18.0.1"), "one.example.test")
      assert.deepStrictEqual(yield* feed, ["api_key set_rdns failed", "system set_rdns succeeded"])
      yield* waited(setRdns(owner, id, "198.18.0.1", "two.example.test"))
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a way into the rescue system whose answer was lost", () => {
  it.effect.each(
    [
      ["the boot mode was set", ["lost"], { boot_mode: "rescue", booted: "disk", status: "running" }],
      ["nothing arrived", [away], { boot_mode: "disk", booted: "disk", status: "running" }],
      ["the restart was made", [undefined, "lost"], { boot_mode: "rescue", booted: "rescue", status: "rescue" }],
      ["the restart never arrived", [undefined, away], { boot_mode: "rescue", booted: "disk", status: "running" }]
    ] as const
  )("is recorded as it is: %s", ([, mishaps, expected]) =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push(...mishaps)
      const failed = yield* Effect.flip(waited(enterRescue(owner, id)))
      assert.deepInclude(failed, unconfirmed("rescue_enter"))
      assert.deepInclude(yield* liveStatus(owner, id), expected)
      assert.deepStrictEqual(yield* feed, ["api_key rescue_enter failed", "system rescue_enter succeeded"])
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { restarted: true })
      assert.strictEqual((yield* show(id)).status, "rescue")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an upstream that never says how it ended", () => {
  it.effect("leaves a task for an operator, until the customer repeats the call", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const upstream = yield* Upstream
      upstream.mishaps.push(away)
      upstream.polls = away
      yield* Effect.flip(waited(setHostname(owner, id, "new.example.test")))
      yield* elapse(20 * 60_000, 1_000)
      assert.deepStrictEqual(yield* feed, ["api_key set_hostname failed", "system set_hostname failed"])
      const { unreconciled } = yield* Tasks
      assert.lengthOf(yield* unreconciled(UNRECONCILED, 10), 1)
      upstream.polls = undefined
      yield* waited(setHostname(owner, id, "newer.example.test"))
      assert.lengthOf(yield* unreconciled(UNRECONCILED, 10), 0)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a password whose answer was lost", () => {
  it.effect("is not settled, because it is unknown; the call can be repeated immediately", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push("lost")
      assert.deepInclude(yield* Effect.flip(waited(resetPassword(owner, id))), unconfirmed("reset_password"))
      assert.deepStrictEqual(yield* feed, ["api_key reset_password failed"])
      assert.lengthOf((yield* waited(resetPassword(owner, id))).password, 20)
    }).pipe(Effect.provide(serviceLayer())))
})
