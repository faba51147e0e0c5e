/** The ISO library and the virtual drive. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Conflict, GatewayTimeout, NotFound, PayloadTooLarge } from "./Errors.ts"
import { ActionResult } from "./Instance.ts"
import { type Encoded, PathId, PositiveInt, UNSHOWN } from "./Primitives.ts"
import { operation } from "./Operation.ts"

export const Iso = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  file_name: Schema.String,
  size_bytes: Schema.Int,
  mounted: Schema.Boolean
}).annotate({ identifier: "Iso", ...UNSHOWN, description: "An ISO image that an instance can mount" })
export interface Iso extends Encoded<typeof Iso> {}

export const MountIso = Schema.Struct({
  iso_id: PositiveInt.annotate({ description: "From GET /instances/{instance_id}/isos" })
}).annotate({ identifier: "MountIso", description: "The ISO image to mount" })
export interface MountIso extends Encoded<typeof MountIso> {}

const params = { instance_id: PathId }

export class Isos extends HttpApiGroup.make("isos")
  .add(
    HttpApiEndpoint.get("list", "/instances/:instance_id/isos", {
      params,
      success: Schema.Array(Iso),
      error: NotFound
    })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "List the ISO library")),
    HttpApiEndpoint.post("mount", "/instances/:instance_id/iso", {
      params,
      payload: MountIso,
      success: ActionResult,
      error: [NotFound, Conflict, PayloadTooLarge, GatewayTimeout]
    })
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "fresh" }, "Mount an ISO")),
    HttpApiEndpoint.delete("unmount", "/instances/:instance_id/iso", {
      params,
      success: ActionResult,
      error: [NotFound, Conflict, GatewayTimeout]
    })
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "any" }, "Unmount the ISO"))
  )
  .annotate(OpenApi.Description, "The ISO library and the virtual drive")
{}
