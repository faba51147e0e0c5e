import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot } from "../../instances/Snapshots.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const snapshots: Handlers<"snapshots"> = {
  list: ({ params }, caller) => listSnapshots(caller, params.instance_id),
  create: ({ params, payload }, caller) => createSnapshot(caller, params.instance_id, payload.name),
  restore: ({ params }, caller) => restoreSnapshot(caller, params.instance_id, params.snap_id),
  delete: ({ params }, caller) => deleteSnapshot(caller, params.instance_id, params.snap_id)
}
