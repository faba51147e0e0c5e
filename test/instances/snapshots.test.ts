/** Snapshots up to the quota, what a restore brings back, and machines that have none of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { listBackups } from "#service/operations/Backups"
import { restoreBackup } from "#service/operations/Backups"
import { listIsos } from "#service/operations/Isos"
import { mountIso } from "#service/operations/Isos"
import { setHostname } from "#service/operations/SetHostname"
import { reinstall } from "#service/operations/Reinstall"
import { listSnapshots } from "#service/operations/Snapshots"
import { createSnapshot } from "#service/operations/Snapshots"
import { deleteSnapshot } from "#service/operations/Snapshots"
import { restoreSnapshot } from "#service/operations/Snapshots"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Rejected } from "#service/provisioning/Driver"
import { operationTime, running, waited } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { SNAPSHOTS_MAX } = DEFAULT_LIMITS

const DEDICATED = 5
const HOUR = 3_600_000
const stranger = { ...owner, accountId: 2 }

const taken = (id: number, name: string) => Effect.tap(createSnapshot(owner, id, name), () => operationTime)

const system = (id: number) => Effect.map(show(id), ({ provider_data: data }) => JSON.parse(data!) as object)

describe("a snapshot", () => {
  it.effect("is being created, then available with its size", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const { snapshot, ...rest } = yield* createSnapshot(owner, id, "before the upgrade")
      assert.deepStrictEqual(rest, { ok: true, action: "snapshot_create", status: "running", task_id: 2 })
      const expected = { id: 1, instance_id: id, name: "before the upgrade", status: "creating", size_bytes: null }
      assert.deepInclude(snapshot, expected)
      yield* operationTime
      const [made] = yield* listSnapshots(owner, id)
      assert.deepInclude(made, { ...snapshot, status: "available", size_bytes: made!.size_bytes })
      assert.isAbove(made!.size_bytes!, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("brings system and name back", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* taken(id, "one")
      yield* reinstall(owner, id, { os: "alma-9" })
      yield* operationTime
      yield* waited(setHostname(owner, id, "later.example.test"))
      assert.deepInclude(yield* system(id), { os: "alma-9", hostname: "later.example.test" })
      assert.deepInclude(yield* restoreSnapshot(owner, id, 1), { action: "snapshot_restore", status: "restoring" })
      assert.strictEqual((yield* show(id)).status, "restoring")
      assert.strictEqual((yield* listSnapshots(owner, id))[0]!.status, "restoring")
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual((yield* listSnapshots(owner, id))[0]!.status, "available")
      assert.deepInclude(yield* system(id), { os: "debian-12", hostname: "web.example.test" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is restored to a running instance although its machine crashes meanwhile: the audit starts it", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* taken(id, "one")
      yield* restoreSnapshot(owner, id, 1)
      yield* elapse(0)
      const machines = yield* SimulatedMachines
      yield* machines.save({ ...(yield* machines.find("instance-1"))!, power: "off" })
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that a restore or a deletion names is that one of several", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* taken(id, "one")
      yield* waited(setHostname(owner, id, "later.example.test"))
      yield* taken(id, "two")
      yield* waited(setHostname(owner, id, "last.example.test"))
      const restored = Effect.fnUntraced(function*(snapshot: number) {
        yield* restoreSnapshot(owner, id, snapshot)
        yield* operationTime
        return yield* system(id)
      })
      assert.deepInclude(yield* restored(2), { hostname: "later.example.test" })
      assert.deepInclude(yield* restored(1), { hostname: "web.example.test" })
      yield* deleteSnapshot(owner, id, 1)
      yield* operationTime
      assert.deepInclude(yield* restored(2), { hostname: "later.example.test" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that failed cannot be brought back, and can be deleted", () =>
    Effect.gen(function*() {
      const id = yield* running()
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no" }))
      yield* taken(id, "one")
      const refused = yield* Effect.flip(restoreSnapshot(owner, id, 1))
      assert.deepInclude(refused, { _tag: "NotRestorable", part: "Snapshot", id: 1, status: "failed" })
      yield* deleteSnapshot(owner, id, 1)
      yield* operationTime
      assert.deepStrictEqual(yield* listSnapshots(owner, id), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect(`is rejected beyond ${SNAPSHOTS_MAX} until one is deleted`, () =>
    Effect.gen(function*() {
      const id = yield* running()
      for (const name of ["one", "two", "three"]) yield* taken(id, name)
      const full = yield* Effect.flip(createSnapshot(owner, id, "four"))
      assert.deepInclude(full, { _tag: "SnapshotQuotaReached", quota: 3 })
      assert.deepInclude(yield* deleteSnapshot(owner, id, 2), { action: "snapshot_delete", status: "running" })
      yield* operationTime
      assert.isUndefined(yield* (yield* SimulatedMachines).image("instance-1", "snapshot-2"))
      yield* taken(id, "four")
      assert.deepStrictEqual((yield* listSnapshots(owner, id)).map(({ name }) => name), ["one", "three", "four"])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("requested twenty times concurrently is taken once", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const each = Array.from({ length: 20 }, (_, n) => Effect.exit(createSnapshot(owner, id, `s${n}`)))
      const exits = yield* Effect.all(each, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.lengthOf(yield* listSnapshots(owner, id), 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is found on its own instance only, and not by strangers", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* taken(id, "one")
      const other = yield* running()
      for (const act of [restoreSnapshot, deleteSnapshot]) {
        assert.deepInclude(yield* Effect.flip(act(owner, other, 1)), { _tag: "PartNotFound", part: "Snapshot", id: 1 })
        assert.strictEqual((yield* Effect.flip(act(owner, id, -1)))._tag, "PartNotFound")
        assert.strictEqual((yield* Effect.flip(act(stranger, id, 1)))._tag, "InstanceNotFound")
      }
      assert.strictEqual((yield* Effect.flip(listSnapshots(stranger, id)))._tag, "InstanceNotFound")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a dedicated machine", () => {
  const asks = {
    "lists no snapshots": (id: number) => listSnapshots(owner, id),
    "takes no snapshot": (id: number) => createSnapshot(owner, id, "one"),
    "brings no snapshot back": (id: number) => restoreSnapshot(owner, id, 1),
    "deletes no snapshot": (id: number) => deleteSnapshot(owner, id, 1),
    "lists no backups": (id: number) => listBackups(owner, id),
    "brings no backup back": (id: number) => restoreBackup(owner, id, 1)
  }
  it.effect.each(Object.keys(asks) as Array<keyof typeof asks>)("%s", (name) =>
    Effect.gen(function*() {
      const id = yield* running(DEDICATED)
      const refused = yield* Effect.flip(asks[name](id) as Effect.Effect<unknown, unknown, Needs>)
      assert.deepInclude(refused, { _tag: "NotForCategory", category: "dedicated" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("has no night's work, and a drive of its own", () =>
    Effect.gen(function*() {
      const id = yield* running(DEDICATED)
      yield* elapse(48 * HOUR, HOUR)
      yield* settle
      assert.deepStrictEqual((yield* allTasks).map(({ type }) => type), ["provision"])
      yield* mountIso(owner, id, 2)
      yield* operationTime
      assert.deepStrictEqual((yield* listIsos(owner, id)).map(({ mounted }) => mounted), [false, true])
    }).pipe(Effect.provide(serviceLayer())))
})

type Needs = Layer.Success<ReturnType<typeof serviceLayer>>
