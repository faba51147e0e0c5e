/** Snapshots, which customers create and delete, up to a quota. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { type Encoded, name, NullableInt, openSet, PathId, Timestamp, UNSHOWN } from "./Primitives.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound, PayloadTooLarge } from "./Errors.ts"
import { actionFields, ActionResult } from "./Instance.ts"
import { operation } from "./Operation.ts"

export const Snapshot = Schema.Struct({
  id: Schema.Int,
  instance_id: Schema.Int,
  name: Schema.String,
  status: openSet(["creating", "available", "restoring", "failed"], "creating, available, restoring or failed"),
  size_bytes: NullableInt.annotate({ description: "null until known" }),
  created_at: Timestamp
}).annotate({ identifier: "Snapshot", ...UNSHOWN, description: "A snapshot of an instance's disk" })
export interface Snapshot extends Encoded<typeof Snapshot> {}

export const CreateSnapshot = Schema.Struct({
  name: name(1, 64).annotate({ description: "A label; need not be unique" })
}).annotate({ identifier: "CreateSnapshot", description: "A snapshot to take" })
export interface CreateSnapshot extends Encoded<typeof CreateSnapshot> {}
export const SnapshotResult = Schema.Struct({ ...actionFields, snapshot: Snapshot })
  .annotate({ identifier: "SnapshotResult", ...UNSHOWN, description: "The result of taking a snapshot" })
export interface SnapshotResult extends Encoded<typeof SnapshotResult> {}

const params = { instance_id: PathId }
const one = { instance_id: PathId, snap_id: PathId }

export class Snapshots extends HttpApiGroup.make("snapshots")
  .add(
    HttpApiEndpoint.get("list", "/instances/:instance_id/snapshots", {
      params,
      success: Schema.Array(Snapshot),
      error: [BadRequest, NotFound]
    })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "List the snapshots")),
    HttpApiEndpoint.post("create", "/instances/:instance_id/snapshots", {
      params,
      payload: CreateSnapshot,
      success: SnapshotResult,
      error: [BadRequest, NotFound, Conflict, PayloadTooLarge, GatewayTimeout]
    })
      .annotateMerge(operation({ scope: "vps:write", retry: "once", signIn: "any" }, "Take a snapshot")),
    HttpApiEndpoint.post("restore", "/instances/:instance_id/snapshots/:snap_id/restore", {
      params: one,
      success: ActionResult,
      error: [BadRequest, NotFound, Conflict, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:write", retry: "once", signIn: "fresh" },
          "Restore a snapshot; later changes to the disk are lost"
        )
      ),
    HttpApiEndpoint.delete("delete", "/instances/:instance_id/snapshots/:snap_id", {
      params: one,
      success: ActionResult,
      error: [BadRequest, NotFound, Conflict, GatewayTimeout]
    })
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "any" }, "Delete a snapshot"))
  )
  .annotate(OpenApi.Description, "Snapshots of an instance's disk")
{}
