/** Snapshots: answered at once, done by the task. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Snapshot as SnapshotRecord } from "#contract/Snapshots"
import { toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable, PartNotFound, SnapshotQuotaReached } from "../domain/Errors.ts"
import { Limits } from "../config/Limits.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { type Snapshot, Snapshots } from "../persistence/Snapshots.ts"
import { admit, commitAndNotify, enqueue, findOwnVirtual } from "./Admission.ts"

const toRecord = (snapshot: Snapshot): SnapshotRecord => ({
  id: snapshot.id,
  instance_id: snapshot.instanceId,
  name: snapshot.name,
  status: snapshot.status,
  size_bytes: snapshot.sizeBytes,
  created_at: toTimestamp(snapshot.createdAt)
})

/** By id. Fails with `InstanceNotFound` or `NotForCategory`. */
export const listSnapshots = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { id } = yield* findOwnVirtual(caller, instanceId)
  return (yield* (yield* Snapshots).list(id)).map(toRecord)
})

/** A snapshot whose creation failed holds nothing: the next creation takes its place. */
const assertRoom = Effect.fnUntraced(function*({ id }: StoredInstance) {
  const snapshots = yield* Snapshots
  const { SNAPSHOTS_MAX } = yield* Limits
  if ((yield* snapshots.used(id)) >= SNAPSHOTS_MAX) return yield* new SnapshotQuotaReached({ quota: SNAPSHOTS_MAX })
  yield* snapshots.removeFailed(id)
})

/** Runs in one transaction, in which the quota is counted, so that no two creations share the last place. */
const created = Effect.fnUntraced(function*(caller: Caller, instanceId: number, name: string) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  yield* admit(instance, "snapshot_create")
  yield* assertRoom(instance)
  const snapshots = yield* Snapshots
  const at = yield* Clock.currentTimeMillis
  const id = yield* snapshots.insert({ instanceId, name, os: instance.os, at })
  const params = JSON.stringify({ snapshot_id: id })
  const result = yield* enqueue(caller, instance, { type: "snapshot_create", params })
  return { ...result, snapshot: toRecord((yield* snapshots.find(instanceId, id))!) }
})

/**
 * Begins a snapshot. Fails with `InstanceNotFound`, `NotForCategory`, `InstanceBusy`, `InvalidState`,
 * `SnapshotQuotaReached` or `StorageUnavailable`.
 */
export const createSnapshot = (caller: Caller, instanceId: number, name: string) =>
  commitAndNotify(created(caller, instanceId, name))

const findSnapshot = Effect.fnUntraced(function*(instanceId: number, id: number) {
  return (yield* (yield* Snapshots).find(instanceId, id)) ?? (yield* new PartNotFound({ part: "Snapshot", id }))
})

const restored = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const { status } = yield* findSnapshot(instanceId, id)
  yield* admit(instance, "snapshot_restore")
  if (status !== "available") return yield* new NotRestorable({ part: "Snapshot", id, status })
  yield* (yield* Snapshots).setStatus(id, "restoring")
  return yield* enqueue(caller, instance, {
    type: "snapshot_restore",
    params: JSON.stringify({ snapshot_id: id })
  })
})

/**
 * Begins to bring a snapshot back. Fails with `InstanceNotFound`, `NotForCategory`, `PartNotFound`, `InstanceBusy`,
 * `InvalidState`, `NotRestorable` or `StorageUnavailable`.
 */
export const restoreSnapshot = (caller: Caller, instanceId: number, id: number) =>
  commitAndNotify(restored(caller, instanceId, id))

const deleted = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  yield* findSnapshot(instanceId, id)
  yield* admit(instance, "snapshot_delete")
  return yield* enqueue(caller, instance, {
    type: "snapshot_delete",
    params: JSON.stringify({ snapshot_id: id })
  })
})

/** Begins to delete a snapshot. Fails like `restoreSnapshot`, but whatever its status is. */
export const deleteSnapshot = (caller: Caller, instanceId: number, id: number) =>
  commitAndNotify(deleted(caller, instanceId, id))
