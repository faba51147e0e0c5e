/** Restores the machine's disk from a snapshot. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { findSnapshot } from "../instances/Snapshots.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { recordSystem } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"
import { imageOf, SnapshotParams } from "./SnapshotDelete.ts"

export const SnapshotRestore = define({
  type: "snapshot_restore",
  params: SnapshotParams,
  retry: "default",
  execute: ({ params }) => Effect.succeed([{ type: "snapshot_restore", image: imageOf(params) }]),
  complete: Effect.fnUntraced(function*({ instance, params: { snapshot_id: id } }, { machine }) {
    const snapshots = yield* Snapshots
    const snapshot = yield* snapshots.find(instance.id, id)
    yield* snapshots.setStatus(id, "available")
    yield* recordSystem(instance, snapshot?.os ?? instance.os, machine)
  }),
  fail: ({ params }) => Effect.flatMap(Snapshots, ({ setStatus }) => setStatus(params.snapshot_id, "available"))
})

/**
 * Requests that a snapshot is restored. Fails with `InstanceNotFound`, `NotForCategory`, `PartNotFound`,
 * `InstanceBusy`, `InvalidState`, `NotRestorable` or `StorageUnavailable`.
 */
export const restoreSnapshot = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const { status } = yield* findSnapshot(instanceId, id)
  yield* admit(instance, "snapshot_restore")
  if (status !== "available") return yield* new NotRestorable({ part: "Snapshot", id, status })
  yield* (yield* Snapshots).setStatus(id, "restoring")
  return yield* enqueue(caller, instance, SnapshotRestore.task({ snapshot_id: id }))
}, commitAndNotify)
