/** Changes as they happen, as server-sent events with `{"changed": [...]}`: ids of instances, and `wallet`. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { PathId } from "@pulumi-vps/contract/Primitives"
import { RequiredAccess } from "./Access.ts"

export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("account", "/accounts/:account/events", {
      params: { account: PathId },
      success: Schema.Unknown
    })
      .annotate(RequiredAccess, "account"),
    /** `tasks`, `money`, `accounts`, `audit` and `hosts`. */
    HttpApiEndpoint.get("host", "/operator/events", { success: Schema.Unknown })
      .annotate(RequiredAccess, "operator")
  )
{}
