/** Power on, power off, reboot. Each returns at once; a task does the work. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Conflict, GatewayTimeout, NotFound } from "./Errors.ts"
import { ActionResult } from "./Instance.ts"
import { PathId } from "./Primitives.ts"
import { operation } from "./Operation.ts"

const action = {
  params: { instance_id: PathId },
  success: ActionResult,
  error: [NotFound, Conflict, GatewayTimeout]
} as const

export class Power extends HttpApiGroup.make("power")
  .add(
    HttpApiEndpoint.post("start", "/instances/:instance_id/start", action)
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "any" }, "Power on")),
    HttpApiEndpoint.post("stop", "/instances/:instance_id/stop", action)
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "any" }, "Power off")),
    HttpApiEndpoint.post("restart", "/instances/:instance_id/restart", action)
      .annotateMerge(operation({ scope: "vps:write", retry: "mutation", signIn: "any" }, "Reboot"))
  )
  .annotate(OpenApi.Description, "Power actions")
{}
