/**
 * Snapshots and nightly backups.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Clock from "effect/Clock"
import { assert, describe, it } from "@effect/vitest"
import { listBackups, restoreBackup, startBackup } from "#service/operations/Backups"
import { listIsos, mountIso } from "#service/operations/Isos"
import { setHostname } from "#service/operations/SetHostname"
import { reinstall } from "#service/operations/Reinstall"
import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot } from "#service/operations/Snapshots"
import { SimulatedMachines } from "#service/persistence/SimulatedMachines"
import { Rejected } from "#service/provisioning/Driver"
import { rows } from "../support/database.ts"
import { IN_STATE, operationTime, running, waited } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { nextNight } from "#service/domain/BackupNight"
import { operate } from "#service/operations/Power"
import { Transaction } from "#service/persistence/Transaction"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { setLifecycle } from "../support/lifecycle.ts"
import { machineOf, tagOf } from "../support/machineTag.ts"

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
      yield* machines.save({ ...(yield* machineOf(1))!, power: "off" })
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is restored or deleted by its id, and no other of several is", () =>
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
      const statuses = Effect.map(listSnapshots(owner, id), (all) => all.map(({ status }) => status))
      yield* restoreSnapshot(owner, id, 2)
      assert.deepStrictEqual(yield* statuses, ["available", "restoring"])
      yield* operationTime
      yield* deleteSnapshot(owner, id, 1)
      yield* operationTime
      assert.deepStrictEqual(yield* statuses, ["available"])
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
      assert.isUndefined(yield* (yield* SimulatedMachines).image(yield* tagOf(1), "snapshot-2"))
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

const DAY = 24 * HOUR

/** Until one second before an instance's next night. */
const evening = (id: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => elapse(nextNight(now, id) - now - 1_000, HOUR))

/** From one evening to the next. */
const night = Effect.andThen(elapse(3_000), elapse(DAY - 3_000, HOUR))

const backups = (id: number) => Effect.map(listBackups(owner, id), (all) => all.map((each) => each.id))

describe("a backup", () => {
  it.effect("is made every night, and retained for seven", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepStrictEqual(yield* listBackups(owner, id), [])
      yield* evening(id)
      yield* elapse(1_100)
      const slot = yield* Clock.currentTimeMillis
      assert.deepInclude((yield* listBackups(owner, id))[0], { id: 1, kind: "scheduled", status: "creating" })
      yield* elapse(3_000)
      const [first] = yield* listBackups(owner, id)
      assert.deepInclude(first, { status: "available", instance_id: id })
      assert.isAbove(first!.size_bytes!, 0)
      assert.strictEqual(Date.parse(first!.expires_at) - Math.floor(slot / 60_000) * 60_000, 7 * DAY)
      assert.deepInclude((yield* allTasks).at(-1), { type: "backup_create", actor: "system", status: "succeeded" })
      yield* elapse(DAY - 5_100, HOUR)
      for (let count = 0; count < 9; count++) yield* night
      assert.deepStrictEqual(yield* backups(id), [4, 5, 6, 7, 8, 9, 10])
      assert.lengthOf(yield* rows("SELECT name FROM simulated_images"), 7)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("waits for a busy instance, without ever keeping it from its owner", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* evening(id)
      const upstream = yield* Upstream
      upstream.hold = Effect.never
      yield* operate(owner, id, "restart")
      yield* elapse(60_000, 1_000)
      assert.deepStrictEqual(yield* backups(id), [])
      upstream.hold = undefined
      // The restart is tried again when its try has lasted too long; then comes the backup's turn.
      yield* elapse(HOUR, 10_000)
      assert.deepStrictEqual(yield* backups(id), [1])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(["restart", "stop"] as const)(
    "gives way to a %s, and is made a little later",
    (action) =>
      Effect.gen(function*() {
        const id = yield* running()
        yield* evening(id)
        yield* elapse(1_100)
        assert.deepInclude((yield* allTasks).at(-1), { type: "backup_create", status: "running" })
        assert.strictEqual((yield* show(id)).status, "running")
        assert.deepInclude(yield* operate(owner, id, action), { ok: true, action })
        assert.deepStrictEqual(yield* backups(id), [])
        yield* elapse(1_000)
        const [cancelled, done] = (yield* allTasks).slice(-2)
        assert.deepInclude(cancelled, { type: "backup_create", status: "cancelled" })
        assert.deepInclude(done, { type: action, status: "succeeded", attempts: 1 })
        assert.isUndefined(yield* (yield* SimulatedMachines).image(yield* tagOf(id), "backup-1"))
        yield* elapse(16 * 60_000, 10_000)
        assert.deepStrictEqual(yield* backups(id), [2])
        yield* night
        assert.lengthOf(yield* backups(id), 2)
        assert.lengthOf(yield* rows("SELECT id FROM backups"), 2)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("gives way to calls that wait, too", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* evening(id)
      yield* elapse(1_100)
      assert.deepInclude(yield* waited(setHostname(owner, id, "new.example.test")), { status: "running" })
      assert.deepInclude((yield* allTasks).at(-2), { type: "backup_create", status: "cancelled" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("continues when the other operation needs no task, or is rejected", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* evening(id)
      yield* elapse(1_100)
      assert.isNull((yield* operate(owner, id, "start")).task_id)
      assert.strictEqual((yield* Effect.flip(mountIso(owner, id, 99)))._tag, "PartNotFound")
      yield* operationTime
      assert.deepStrictEqual(yield* backups(id), [1])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([["stopped", 1], ["rescue", 0], ["suspended", 0]] as const)(
    "of a %s instance: %i",
    ([state, count]) =>
      Effect.gen(function*() {
        const id = yield* IN_STATE[state]
        yield* evening(id)
        yield* elapse(3_000)
        assert.lengthOf(yield* backups(id), count)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect.each(["suspended", "expired"] as const)(
    "of an instance that is %s at that very moment comes when it is active again",
    (state) =>
      Effect.gen(function*() {
        const id = yield* running()
        const due = nextNight(yield* Clock.currentTimeMillis, id)
        yield* setLifecycle(id, state)
        // The calendar found it due while it was active still.
        yield* (yield* Transaction).run(startBackup(id, due))
        yield* elapse(due - (yield* Clock.currentTimeMillis) + 3_000, HOUR)
        assert.deepStrictEqual(yield* backups(id), [])
        yield* setLifecycle(id, "active")
        yield* (yield* WorkerNotifier).notify
        yield* elapse(3_000)
        assert.deepStrictEqual(yield* backups(id), [1])
        yield* night
        assert.deepStrictEqual(yield* backups(id), [1, 2])
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("brings system and name back", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* evening(id)
      yield* elapse(3_000)
      yield* reinstall(owner, id, { os: "alma-9" })
      yield* operationTime
      const result = yield* restoreBackup(owner, id, 1)
      assert.deepInclude(result, { ok: true, action: "backup_restore", status: "restoring" })
      assert.strictEqual((yield* listBackups(owner, id))[0]!.status, "restoring")
      yield* operationTime
      assert.deepInclude(JSON.parse((yield* show(id)).provider_data!), { os: "debian-12" })
      assert.strictEqual((yield* listBackups(owner, id))[0]!.status, "available")
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is restored by its id, and no other of several is", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* evening(id)
      yield* elapse(3_000)
      yield* waited(setHostname(owner, id, "later.example.test"))
      yield* evening(id)
      yield* elapse(3_000)
      yield* waited(setHostname(owner, id, "last.example.test"))
      assert.deepStrictEqual(yield* backups(id), [1, 2])
      for (const [backup, hostname] of [[2, "later.example.test"], [1, "web.example.test"]] as const) {
        yield* restoreBackup(owner, id, backup)
        yield* operationTime
        assert.deepInclude(JSON.parse((yield* show(id)).provider_data!), { hostname })
      }
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is found on its own instance only", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.deepInclude(yield* Effect.flip(restoreBackup(owner, id, 1)), { _tag: "PartNotFound", part: "Backup" })
      assert.strictEqual(
        (yield* Effect.flip(restoreBackup({ ...owner, accountId: 2 }, id, 1)))._tag,
        "InstanceNotFound"
      )
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of a thousand instances is spread over the night", () =>
    Effect.sync(() => {
      const minutes = new Set(Array.from({ length: 1_000 }, (_, id) => nextNight(0, id + 1)))
      assert.strictEqual(minutes.size, 120)
    }))
})
