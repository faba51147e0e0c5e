/** Rescue mode: booting from a rescue system, and back from the disk. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { type Encoded, openSet, PathId } from "./Primitives.ts"
import { BadGateway, Conflict, GatewayTimeout, NotFound } from "./Errors.ts"
import { operation } from "./Operation.ts"

export const RescueResult = Schema.Struct({
  ok: Schema.Boolean,
  action: openSet(["rescue_enter", "rescue_exit"], "rescue_enter or rescue_exit"),
  boot_mode: openSet(["rescue", "disk"], "rescue or disk"),
  restarted: Schema.Boolean.annotate({
    description: "false: the boot mode is set but the reboot was refused; repeat the request, or reboot the instance"
  })
}).annotate({ identifier: "RescueResult", description: "The result of a change of the boot mode" })
export interface RescueResult extends Encoded<typeof RescueResult> {}

const rescue = {
  params: { instance_id: PathId },
  success: RescueResult,
  error: [NotFound, Conflict, BadGateway, GatewayTimeout]
} as const

export class Rescue extends HttpApiGroup.make("rescue")
  .add(
    HttpApiEndpoint.post("enter", "/instances/:instance_id/rescue", rescue)
      .annotateMerge(
        operation({ scope: "vps:write", retry: "idempotent", signIn: "fresh" }, "Boot into the rescue system")
      ),
    HttpApiEndpoint.delete("exit", "/instances/:instance_id/rescue", rescue)
      .annotateMerge(
        operation({ scope: "vps:write", retry: "idempotent", signIn: "fresh" }, "Boot from the disk again")
      )
  )
  .annotate(OpenApi.Description, "Rescue mode; reached through the console of the panel, the disk is not mounted")
{}
