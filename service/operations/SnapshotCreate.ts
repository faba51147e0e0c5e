/** A snapshot of the machine's disk. One that fails permanently is deleted at the upstream, too. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import type { Caller } from "../domain/Caller.ts"
import { SnapshotQuotaReached } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { toRecord } from "../instances/Snapshots.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { define } from "./Operation.ts"
import { imageOf, SnapshotDelete, SnapshotParams } from "./SnapshotDelete.ts"

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
