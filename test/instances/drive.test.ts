/** The ISO drive, and the way into the rescue system and back. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listIsos } from "#service/operations/Isos"
import { liveStatus } from "#service/instances/Monitoring"
import { mountIso, unmountIso } from "#service/operations/Isos"
import { operate } from "#service/operations/Power"
import { enterRescue, exitRescue } from "#service/operations/Rescue"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Busy, Rejected } from "#service/provisioning/Driver"
import { IN_STATE, operationTime, running, waited } from "../support/instances.ts"
import { allTasks, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { machineOf } from "../support/machineTag.ts"

const machine = Effect.map(machineOf(1), (found) => found!)
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

  it.effect("survives a stop and a start, and can be left while stopped", () =>
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

  /** The upstream sets the boot mode, and refuses the restart. */
  const owing = (fault: Busy | Rejected) =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push(undefined, fault)
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { boot_mode: "rescue", restarted: false })
      return id
    })
  const busy = new Busy({ reason: "a task of the host is running" })

  it.effect.each([busy, new Rejected({ reason: "no" })])(
    "is set and not booted when the upstream refuses the restart (%s): the reboot is owed",
    (fault) =>
      Effect.gen(function*() {
        const id = yield* owing(fault)
        assert.deepInclude((yield* allTasks).at(-1), { type: "rescue_enter", status: "succeeded" })
        assert.strictEqual((yield* show(id)).status, "running")
        assert.deepInclude(yield* liveStatus(owner, id), { status: "running", boot_mode: "rescue", booted: "disk" })
        // The customer restarts by hand.
        yield* operate(owner, id, "restart")
        yield* operationTime
        assert.deepInclude(yield* machine, { booted: "rescue", power: "on" })
        assert.deepInclude(yield* liveStatus(owner, id), { status: "rescue", boot_mode: "rescue", booted: "rescue" })
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("that is set but not booted is booted by the next call, which says so", () =>
    Effect.gen(function*() {
      const id = yield* owing(busy)
      ;(yield* Upstream).mishaps.push(undefined, busy)
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { restarted: false })
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { restarted: true })
      assert.deepInclude(yield* machine, { bootMode: "rescue", booted: "rescue" })
      ;(yield* Upstream).mishaps.push(undefined, busy)
      assert.deepInclude(yield* waited(exitRescue(owner, id)), { boot_mode: "disk", restarted: false })
      assert.strictEqual((yield* show(id)).status, "rescue")
      assert.deepInclude(yield* waited(exitRescue(owner, id)), { boot_mode: "disk", restarted: true })
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude(yield* machine, { bootMode: "disk", booted: "disk" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is what the upstream has booted: a reboot from inside the instance counts", () =>
    Effect.gen(function*() {
      const id = yield* owing(busy)
      const machines = yield* SimulatedMachines
      yield* machines.save({ ...yield* machine, booted: "rescue" })
      assert.deepInclude(yield* liveStatus(owner, id), { boot_mode: "rescue", booted: "rescue" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([
    new Busy({ reason: "busy" }),
    new Rejected({ reason: "no" })
  ])("that cannot be set (%s) changes nothing and frees the instance", (fault) =>
    Effect.gen(function*() {
      const id = yield* running()
      const upstream = yield* Upstream
      upstream.mishaps.push(fault)
      const { length } = upstream.calls
      const failed = yield* Effect.flip(waited(enterRescue(owner, id)))
      assert.deepInclude(failed, {
        _tag: "UpstreamFailed",
        operation: "rescue_enter",
        reason: fault.reason,
        outcome: "unchanged"
      })
      assert.strictEqual(upstream.calls.length, length + 1)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude(yield* waited(enterRescue(owner, id)), { restarted: true })
    }).pipe(Effect.provide(serviceLayer())))
})
