import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot } from "../../instances/Snapshots.ts"
import { answer } from "./Answer.ts"
import type { Handlers } from "./ApiRoutes.ts"

export const snapshots: Handlers<"snapshots"> = {
  list: ({ params }, by) => answer(listSnapshots(by, params.instance_id)),
  create: ({ params, payload }, by) => answer(createSnapshot(by, params.instance_id, payload.name)),
  restore: ({ params }, by) => answer(restoreSnapshot(by, params.instance_id, params.snap_id)),
  delete: ({ params }, by) => answer(deleteSnapshot(by, params.instance_id, params.snap_id))
}
