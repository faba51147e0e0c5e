/** The ISO drive, and the way into the rescue system and back. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listIsos } from "#service/instances/Isos"
import { mountIso, unmountIso } from "#service/operations/IsoMount"
import { operate } from "#service/operations/Power"
import { enterRescue, exitRescue } from "#service/operations/Rescue"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Busy, Rejected, Unavailable } from "#service/provisioning/Driver"
import { IN_STATE, operationTime, running, waited } from "../support/instances.ts"
import { allTasks, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const machine = Effect.flatMap(SimulatedMachines, ({ find }) => Effect.map(find("instance-1"), (found) => found!))
const stranger = { ...owner, accountId: 2 }

describe("the library", () => {
  it.effect("lists the ISOs, and which of them is in this instance's drive", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepStrictEqual(yield* listIsos(owner, id), [
        { id: 1, name: "rescue", file_name: "rescue.iso", size_bytes: 850 * 2 ** 20, mounted: false },
        { id: 2, name: "debian-netinst", file_name: "debian-netinst.iso", size_bytes: 650 * 2 ** 20, mounted: false }
      ])
      yield* mountIso(owner, id, 2)
      assert.isFalse((yield* listIsos(owner, id))[1]!.mounted)
      yield* operationTime
      assert.isTrue((yield* listIsos(owner, id))[1]!.mounted)
      const other = yield* running()
      assert.isFalse((yield* listIsos(owner, other))[1]!.mounted)
      assert.strictEqual((yield* Effect.flip(listIsos(stranger, id)))._tag, "InstanceNotFound")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the drive", () => {
  it.effect("takes an ISO, another in its place, and is emptied", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const mounted = yield* mountIso(owner, id, 1)
      assert.deepStrictEqual(mounted, { ok: true, action: "iso_mount", status: "running", task_id: 2 })
      yield* operationTime
      assert.strictEqual((yield* machine).iso, "rescue.iso")
      yield* mountIso(owner, id, 2)
      yield* operationTime
      assert.strictEqual((yield* machine).iso, "debian-netinst.iso")
      assert.deepInclude(yield* unmountIso(owner, id), { action: "iso_unmount", status: "running" })
      yield* operationTime
      assert.isNull((yield* machine).iso)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("has nothing to do for what is in it, or what is not", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepInclude(yield* unmountIso(owner, id), { ok: true, action: "iso_unmount", task_id: null })
      yield* mountIso(owner, id, 1)
      yield* operationTime
      assert.deepInclude(yield* mountIso(owner, id, 1), { ok: true, action: "iso_mount", task_id: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("knows no other ISOs than the library's", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepInclude(yield* Effect.flip(mountIso(owner, id, 99)), { _tag: "PartNotFound", part: "ISO", id: 99 })
      assert.strictEqual((yield* Effect.flip(mountIso(stranger, id, 1)))._tag, "InstanceNotFound")
      // A missing ISO is reported before a busy instance.
      yield* operate(owner, id, "restart")
      assert.strictEqual((yield* Effect.flip(mountIso(owner, id, 99)))._tag, "PartNotFound")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the rescue system", () => {
  it.effect.each(["running", "stopped"] as const)(
    "is entered from %s and left for the disk, each with a restart",
    (from) =>
      Effect.gen(function*() {
        const id = yield* IN_STATE[from]
        const entered = yield* waited(enterRescue(owner, id))
        assert.deepStrictEqual(entered, { ok: true, action: "rescue_enter", boot_mode: "rescue", restarted: true })
        assert.strictEqual((yield* show(id)).status, "rescue")
        assert.deepInclude(yield* machine, { bootMode: "rescue", power: "on" })
        const left = yield* waited(exitRescue(owner, id))
        assert.deepStrictEqual(left, { ok: true, action: "rescue_exit", boot_mode: "disk", restarted: true })
        assert.strictEqual((yield* show(id)).status, "running")
        assert.deepInclude(yield* machine, { bootMode: "disk", power: "on" })
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("is kept over a stop and a start, and left from a stop too", () =>
    Effect.gen(function*() {
      const id = yield* IN_STATE.rescue
      yield* operate(owner, id, "stop")
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "stopped")
      yield* operate(owner, id, "start")
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "rescue")
      yield* operate(owner, id, "stop")
      yield* operationTime
      assert.deepInclude(yield* waited(exitRescue(owner, id)), { boot_mode: "disk", restarted: true })
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is booted already, or was not, needs no task and counts as restarted", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const none = { ok: true, action: "rescue_exit", boot_mode: "disk", restarted: true }
      assert.deepStrictEqual(yield* waited(exitRescue(owner, id)), none)
      yield* waited(enterRescue(owner, id))
      const { length } = yield* allTasks
      const there = { ok: true, action: "rescue_enter", boot_mode: "rescue", restarted: true }
      assert.deepStrictEqual(yield* waited(enterRescue(owner, id)), there)
      assert.lengthOf(yield* allTasks, length)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is set and not restarted when the upstream is too busy for the restart", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push(undefined, new Busy({ reason: "a task of the host is running" }))
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { boot_mode: "rescue", restarted: false })
      assert.deepInclude((yield* allTasks).at(-1), { type: "rescue_enter", status: "succeeded" })
      assert.strictEqual((yield* show(id)).status, "rescue")
      // The customer restarts by hand.
      yield* operate(owner, id, "restart")
      yield* operationTime
      assert.deepInclude(yield* machine, { bootMode: "rescue", power: "on" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([
    new Busy({ reason: "busy" }),
    new Rejected({ reason: "no" }),
    new Unavailable({ reason: "away" })
  ])("that cannot be set (%s) changes nothing and frees the instance", (fault) =>
    Effect.gen(function*() {
      const id = yield* running()
      const upstream = yield* Upstream
      upstream.mishaps.push(fault)
      const { length } = upstream.calls
      const failed = yield* Effect.flip(waited(enterRescue(owner, id)))
      assert.deepInclude(failed, { _tag: "UpstreamFailed", operation: "rescue_enter", reason: fault.reason })
      assert.strictEqual(upstream.calls.length, length + 1)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { restarted: true })
    }).pipe(Effect.provide(serviceLayer())))
})
