/**
 * The snapshots of an instance: listed, created, restored, deleted. An image of one whose creation fails permanently is
 * deleted at the upstream, too.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Snapshot as SnapshotRecord } from "@pulumi-vps/contract/Snapshots"
import { Limits } from "../config/Limits.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import type { Caller } from "../domain/Caller.ts"
import { PartNotFound, SnapshotQuotaReached } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { type Snapshot, Snapshots } from "../persistence/Snapshots.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { define, type Operation } from "./Operation.ts"
import { restoring } from "./Restore.ts"

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

const SnapshotParams = Schema.Struct({ snapshot_id: Schema.Int })
type Params = typeof SnapshotParams.Type

/** The upstream's name for a snapshot's image. */
const imageOf = ({ snapshot_id: id }: Params): string => `snapshot-${id}`

export const SnapshotDelete: Operation<"snapshot_delete", Params> = define({
  type: "snapshot_delete",
  params: SnapshotParams,
  retry: "default",
  execute: ({ params }) => Effect.succeed([{ type: "snapshot_delete", image: imageOf(params) }]),
  // A compensation deletes only the image: the customer still sees that the snapshot has failed.
  complete: Effect.fnUntraced(function*({ params, task }) {
    if (task.purpose !== "compensate") yield* (yield* Snapshots).remove(params.snapshot_id)
  }),
  // In doubt its image may be gone: a snapshot shown as available could not be restored.
  fail: Effect.fnUntraced(function*({ params }, _, doubt) {
    if (doubt) yield* (yield* Snapshots).setStatus(params.snapshot_id, "failed")
  }),
  // Deletes an image that may or may not exist.
  compensation: (params) => ({ ...SnapshotDelete.task(params), after: "doubt" }),
  recovery: { unreconciled: { left: "the image of a snapshot that failed may still exist" } }
})

/** Requests the deletion of a snapshot. Fails like `restoreSnapshot`, but accepts any status. */
export const deleteSnapshot = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const snapshot = yield* (yield* Snapshots).find(instanceId, id)
  if (snapshot === undefined) return yield* new PartNotFound({ part: "Snapshot", id })
  yield* admit(instance, "snapshot_delete")
  return yield* enqueue(caller, instance, SnapshotDelete.task({ snapshot_id: id }))
}, commitAndNotify)

export const SnapshotCreate = define({
  type: "snapshot_create",
  params: SnapshotParams,
  retry: "default",
  execute: ({ params }) => Effect.succeed([{ type: "snapshot_create", image: imageOf(params) }]),
  complete: ({ params }, { done: [created] }) =>
    Effect.flatMap(Snapshots, ({ setAvailable }) => setAvailable(params.snapshot_id, created?.imageBytes ?? null)),
  fail: ({ params }) => Effect.flatMap(Snapshots, ({ setStatus }) => setStatus(params.snapshot_id, "failed")),
  compensation: (params) => ({ ...SnapshotDelete.task(params), after: "failure" })
})

/** The place of a snapshot whose creation failed goes to the next one: it contains nothing. */
const assertQuota = Effect.fnUntraced(function*(instanceId: number) {
  const snapshots = yield* Snapshots
  const { SNAPSHOTS_MAX } = yield* Limits
  if ((yield* snapshots.used(instanceId)) >= SNAPSHOTS_MAX) {
    return yield* new SnapshotQuotaReached({ quota: SNAPSHOTS_MAX })
  }
  yield* snapshots.removeFailed(instanceId)
})

/**
 * Requests a snapshot. The quota is counted in the same transaction, so that no two creations share the last place.
 * Fails with `InstanceNotFound`, `NotForCategory`, `InstanceBusy`, `InvalidState`, `SnapshotQuotaReached` or
 * `StorageUnavailable`.
 */
export const createSnapshot = Effect.fnUntraced(function*(caller: Caller, instanceId: number, name: string) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  yield* admit(instance, "snapshot_create")
  yield* assertQuota(instanceId)
  const snapshots = yield* Snapshots
  const at = yield* Clock.currentTimeMillis
  const id = yield* snapshots.insert({ instanceId, name, os: instance.os, at })
  const result = yield* enqueue(caller, instance, SnapshotCreate.task({ snapshot_id: id }))
  return { ...result, snapshot: toRecord((yield* snapshots.find(instanceId, id))!) }
}, commitAndNotify)

const restoration = restoring({
  type: "snapshot_restore",
  part: "Snapshot",
  records: Snapshots,
  params: SnapshotParams,
  idOf: (params) => params.snapshot_id,
  withId: (id) => ({ snapshot_id: id }),
  step: (params) => ({ type: "snapshot_restore", image: imageOf(params) })
})

export const SnapshotRestore = restoration.operation
export const restoreSnapshot = restoration.restore
