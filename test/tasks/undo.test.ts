/** The remains of a saga that fails permanently, or continues without a step: only the intended ones. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nextNight } from "#service/domain/BackupNight"
import { listBackups } from "#service/operations/Backups"
import { mountIso, unmountIso } from "#service/operations/Isos"
import { resize } from "#service/operations/Resize"
import { createSnapshot, deleteSnapshot, listSnapshots } from "#service/operations/Snapshots"
import { verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Journals } from "#service/persistence/Journals"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Rejected, Unavailable } from "#service/provisioning/Driver"
import { operationTime, running } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { machineOf, tagOf } from "../support/machineTag.ts"

const machine = Effect.map(machineOf(1), (found) => found!)

const types = Effect.map(allTasks, (tasks) => tasks.map(({ status, type }) => `${type} ${status}`))

const wallet = Effect.flatMap(Accounts, ({ find }) => Effect.map(find(1), (account) => account!.wallet))

describe("an abandoned resize", () => {
  it.effect("in doubt is set back at the upstream; the order never changes and the money comes back once", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const before = yield* wallet
      const upstream = yield* Upstream
      // One answer is lost, then the upstream is unavailable: the machine has the new plan, and we don't know it.
      upstream.mishaps.push("lost")
      upstream.always = new Unavailable({ reason: "away" })
      yield* resize(owner, id, 3)
      assert.isBelow(yield* wallet, before)
      yield* elapse(10 * 60_000, 1_000)
      upstream.always = undefined
      yield* elapse(60_000, 1_000)
      assert.deepStrictEqual((yield* types).slice(1), ["resize failed", "resize succeeded"])
      assert.strictEqual((yield* machine).plan, "vps-s")
      assert.strictEqual((yield* show(id)).order.service_id, 1)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual(yield* wallet, before)
      const refunds = (yield* (yield* Journals).all).filter(({ kind }) => kind === "refund")
      assert.deepStrictEqual(refunds.map(({ reference }) => reference), ["refund:resize:task:2"])
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a resize whose answer was lost and that is refused when it is repeated", () => {
  it.effect("is set back: the refusal does not say that nothing was done", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push("lost", new Rejected({ reason: "no" }))
      yield* resize(owner, id, 3)
      yield* elapse(5_000)
      assert.deepStrictEqual((yield* types).slice(1), ["resize failed", "resize succeeded"])
      assert.strictEqual((yield* machine).plan, "vps-s")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the drive", () => {
  it.effect("in doubt holds what our record says", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* mountIso(owner, id, 1)
      yield* operationTime
      assert.strictEqual((yield* machine).iso, "rescue.iso")
      assert.deepStrictEqual((yield* types).slice(1), ["iso_mount succeeded"])
      const upstream = yield* Upstream
      upstream.mishaps.push("lost")
      upstream.always = new Unavailable({ reason: "away" })
      yield* unmountIso(owner, id)
      yield* elapse(10 * 60_000, 1_000)
      assert.isNull((yield* machine).iso)
      upstream.always = undefined
      yield* elapse(60_000, 1_000)
      assert.deepStrictEqual((yield* types).slice(2), ["iso_unmount failed", "iso_mount succeeded"])
      assert.strictEqual((yield* machine).iso, "rescue.iso")
      assert.strictEqual((yield* (yield* Instances).find(id))!.isoId, 1)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a snapshot that cannot be made", () => {
  it.effect("is shown as failed, leaves nothing upstream, and takes no place", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const machines = yield* SimulatedMachines
      const upstream = yield* Upstream
      upstream.mishaps.push(new Rejected({ reason: "the disk is broken" }))
      const { snapshot } = yield* createSnapshot(owner, id, "one")
      yield* operationTime
      assert.deepStrictEqual((yield* types).slice(1), ["snapshot_create failed", "snapshot_delete succeeded"])
      assert.isUndefined(yield* machines.image(yield* tagOf(1), `snapshot-${snapshot.id}`))
      assert.deepStrictEqual((yield* listSnapshots(owner, id)).map(({ status }) => status), ["failed"])
      for (const name of ["two", "three", "four"]) {
        yield* createSnapshot(owner, id, name)
        yield* operationTime
      }
      assert.deepStrictEqual((yield* listSnapshots(owner, id)).map(({ name }) => name), ["two", "three", "four"])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a snapshot whose deletion is abandoned", () => {
  it.effect("in doubt is shown as failed, its image goes all the same, and the customer can remove it", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const machines = yield* SimulatedMachines
      const { snapshot } = yield* createSnapshot(owner, id, "one")
      yield* operationTime
      const upstream = yield* Upstream
      upstream.mishaps.push("lost")
      upstream.always = new Unavailable({ reason: "away" })
      yield* deleteSnapshot(owner, id, snapshot.id)
      yield* elapse(10 * 60_000, 1_000)
      assert.isUndefined(yield* machines.image(yield* tagOf(1), `snapshot-${snapshot.id}`))
      assert.deepStrictEqual((yield* listSnapshots(owner, id)).map(({ status }) => status), ["failed"])
      upstream.always = undefined
      yield* elapse(60_000, 1_000)
      assert.deepStrictEqual((yield* types).slice(2), ["snapshot_delete failed", "snapshot_delete succeeded"])
      yield* deleteSnapshot(owner, id, snapshot.id)
      yield* operationTime
      assert.deepStrictEqual(yield* listSnapshots(owner, id), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("because the upstream refuses is as available as before", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const { snapshot } = yield* createSnapshot(owner, id, "one")
      yield* operationTime
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no" }))
      yield* deleteSnapshot(owner, id, snapshot.id)
      yield* operationTime
      assert.deepStrictEqual((yield* types).slice(2), ["snapshot_delete failed"])
      assert.deepStrictEqual((yield* listSnapshots(owner, id)).map(({ status }) => status), ["available"])
    }).pipe(Effect.provide(serviceLayer())))
})

describe("what a backup replaces", () => {
  const HOUR = 3_600_000
  /** Up to the last moment before instance 1 has its first backup, at 02:07. */
  const evening = Effect.flatMap(Clock.currentTimeMillis, (now) => elapse(nextNight(now, 1) - now - 1_000, HOUR))
  const nights = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () => Effect.andThen(elapse(3_000), elapse(24 * HOUR - 3_000, HOUR)))
  const ids = Effect.map(listBackups(owner, 1), (all) => all.map(({ id }) => id))

  it.effect("and cannot be removed does not fail it: the next night tries again", () =>
    Effect.gen(function*() {
      yield* running()
      const machines = yield* SimulatedMachines
      yield* evening
      yield* nights(7)
      assert.deepStrictEqual(yield* ids, [1, 2, 3, 4, 5, 6, 7])
      ;(yield* Upstream).mishaps.push(undefined, new Unavailable({ reason: "away" }))
      yield* nights(1)
      assert.strictEqual((yield* types).at(-1), "backup_create succeeded")
      assert.deepStrictEqual(yield* ids, [1, 2, 3, 4, 5, 6, 7, 8])
      assert.isDefined(yield* machines.image(yield* tagOf(1), "backup-1"))
      yield* nights(1)
      assert.deepStrictEqual(yield* ids, [3, 4, 5, 6, 7, 8, 9])
      assert.isUndefined(yield* machines.image(yield* tagOf(1), "backup-1"))
      assert.isUndefined(yield* machines.image(yield* tagOf(1), "backup-2"))
    }).pipe(Effect.provide(serviceLayer())))
})
