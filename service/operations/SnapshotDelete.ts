/** Deletes a snapshot's image, and then its record. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../domain/Caller.ts"
import { PartNotFound } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { define, type Operation } from "./Operation.ts"

export const SnapshotParams = Schema.Struct({ snapshot_id: Schema.Int })
type Params = typeof SnapshotParams.Type

/** The upstream's name for a snapshot's image. */
export const imageOf = ({ snapshot_id: id }: Params): string => `snapshot-${id}`

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
