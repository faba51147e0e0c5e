import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot } from "../instances/Snapshots.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "snapshots", (handlers) =>
  handlers
    .handle("list", ({ params }) => answer((by) => listSnapshots(by, params.instance_id)))
    .handle("create", ({ params, payload }) => answer((by) => createSnapshot(by, params.instance_id, payload.name)))
    .handle("restore", ({ params }) => answer((by) => restoreSnapshot(by, params.instance_id, params.snap_id)))
    .handle("delete", ({ params }) => answer((by) => deleteSnapshot(by, params.instance_id, params.snap_id))))
