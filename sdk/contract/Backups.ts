/** Backups: made by the host on a schedule, restored by the customer. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { type Encoded, NullableInt, openSet, PathId, Timestamp, UNSHOWN } from "./Primitives.ts"
import { BadRequest, Conflict, GatewayTimeout, NotFound } from "./Errors.ts"
import { ActionResult } from "./Instance.ts"
import { operation } from "./Operation.ts"

export const Backup = Schema.Struct({
  id: Schema.Int,
  instance_id: Schema.Int,
  kind: openSet(["scheduled"], "scheduled"),
  status: openSet(["creating", "available", "restoring", "failed"], "creating, available, restoring or failed"),
  size_bytes: NullableInt.annotate({ description: "null until known" }),
  created_at: Timestamp,
  expires_at: Timestamp
}).annotate({ identifier: "Backup", ...UNSHOWN, description: "A nightly backup of an instance's disk" })
export interface Backup extends Encoded<typeof Backup> {}

export class Backups extends HttpApiGroup.make("backups")
  .add(
    HttpApiEndpoint.get("list", "/instances/:instance_id/backups", {
      params: { instance_id: PathId },
      success: Schema.Array(Backup),
      error: [BadRequest, NotFound]
    })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "List the backups")),
    HttpApiEndpoint.post("restore", "/instances/:instance_id/backups/:backup_id/restore", {
      params: { instance_id: PathId, backup_id: PathId },
      success: ActionResult,
      error: [BadRequest, NotFound, Conflict, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:write", retry: "once", signIn: "fresh" },
          "Restore a backup; later changes to the disk are lost"
        )
      )
  )
  .annotate(OpenApi.Description, "Scheduled backups of an instance's disk")
{}
