/** The snapshots of an instance. */
import * as Effect from "effect/Effect"
import type { Snapshot as SnapshotRecord } from "#contract/Snapshots"
import { toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { type Snapshot, Snapshots } from "../persistence/Snapshots.ts"
import { findOwnVirtual } from "./Admission.ts"

export const toRecord = (snapshot: Snapshot): SnapshotRecord => ({
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
