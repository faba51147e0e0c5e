/** The service itself, and the identity behind a key. Both need a valid key and no scope. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { operation } from "./Operation.ts"
import { type Encoded, NullableTimestamp, Timestamp, UNSHOWN } from "./Primitives.ts"
import { Scope } from "./Scope.ts"

export const ServiceInfo = Schema.Struct({
  name: Schema.String,
  version: Schema.String.annotate({ description: "Version of the API" }),
  documentation_url: Schema.String,
  openapi_url: Schema.String,
  panel_url: Schema.String.annotate({ description: "The web panel; other services may not have one" })
}).annotate({
  identifier: "ServiceInfo",
  ...UNSHOWN,
  description: "The service, its version, and the addresses of its documentation"
})
export interface ServiceInfo extends Encoded<typeof ServiceInfo> {}

export const KeyInfo = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  last4: Schema.String,
  scopes: Schema.Array(Scope).annotate({ description: "Granted scopes" }),
  effective_scopes: Schema.Array(Scope).annotate({ description: "Granted and implied scopes" }),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp.annotate({ description: "Updated at most once a minute" })
}).annotate({ identifier: "KeyInfo", ...UNSHOWN, description: "An API key, without its secret" })

export const Whoami = Schema.Struct({
  account_id: Schema.Int.annotate({ description: "Equals `user_id` of the account's instances" }),
  email: Schema.String,
  key: KeyInfo
}).annotate({ identifier: "Whoami", ...UNSHOWN, description: "The account and the API key of a request" })
export interface Whoami extends Encoded<typeof Whoami> {}

export class Account extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("root", "/", { success: ServiceInfo })
      .annotateMerge(operation({ retry: "read", signIn: "any" }, "Describe the service")),
    HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami })
      .annotateMerge(operation({ retry: "read", signIn: "any" }, "Identify the API key"))
  )
  .annotate(OpenApi.Description, "The service and the identity behind a key")
{}
