import { listSnapshots } from "../../instances/Snapshots.ts"
import { createSnapshot } from "../../operations/SnapshotCreate.ts"
import { deleteSnapshot } from "../../operations/SnapshotDelete.ts"
import { restoreSnapshot } from "../../operations/Restore.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const snapshots: Handlers<"snapshots"> = {
  list: ({ params }, caller) => listSnapshots(caller, params.instance_id),
  create: ({ params, payload }, caller) => createSnapshot(caller, params.instance_id, payload.name),
  restore: ({ params }, caller) => restoreSnapshot(caller, params.instance_id, params.snap_id),
  delete: ({ params }, caller) => deleteSnapshot(caller, params.instance_id, params.snap_id)
}
