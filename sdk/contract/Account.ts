/** The service itself, and the identity behind a key. Both need a valid key and no scope. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { operation } from "./Operation.ts"
import { Amount, type Encoded, NullableString, NullableTimestamp, Timestamp, UNSHOWN } from "./Primitives.ts"
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

export const MoneyAtRisk = Schema.Struct({
  missing: Amount.annotate({ description: "The amount with which the wallet would pay for all that is due" }),
  currency: Schema.String,
  until: Timestamp.annotate({ description: "The first of the instances is powered off then, or deleted if it is off" }),
  deletion: NullableTimestamp.annotate({ description: "The first of the expired ones is deleted then" }),
  instances: Schema.Array(Schema.Int).annotate({ description: "IDs of the instances that it does not pay for" })
}).annotate({
  identifier: "MoneyAtRisk",
  ...UNSHOWN,
  description: "The charges of the next 7 days that the wallet does not pay for"
})
export interface MoneyAtRisk extends Encoded<typeof MoneyAtRisk> {}

export const Payment = Schema.Struct({
  bank: NullableString.annotate({ description: "Lines with the details of the host's bank" }),
  reference: Schema.String.annotate({ description: "To write on a transfer, so that the host finds the account" }),
  page: NullableString.annotate({ description: "The address of a payment page" })
}).annotate({ identifier: "Payment", ...UNSHOWN, description: "The ways in which the account pays its host" })
export interface Payment extends Encoded<typeof Payment> {}

export const Announcement = Schema.Struct({
  id: Schema.Int,
  kind: Schema.String.annotate({ description: "`maintenance`, or `announcement` for news; new kinds may be added" }),
  title: Schema.String,
  text: Schema.String,
  starts_at: Timestamp,
  ends_at: Timestamp,
  instances: Schema.NullOr(Schema.Array(Schema.Int)).annotate({
    description: "IDs of the instances that it concerns; null if it concerns the whole account"
  })
}).annotate({ identifier: "Announcement", ...UNSHOWN, description: "Maintenance or news that the host has announced" })
export interface Announcement extends Encoded<typeof Announcement> {}

export const Whoami = Schema.Struct({
  account_id: Schema.Int.annotate({ description: "Equals `user_id` of the account's instances" }),
  email: Schema.String,
  key: KeyInfo,
  at_risk: Schema.optionalKey(Schema.NullOr(MoneyAtRisk)).annotate({
    description: "Null if the wallet pays for all that is due within the next 7 days"
  }),
  payment: Schema.optionalKey(Schema.NullOr(Payment)).annotate({
    description: "The ways to pay; null if the host has not said them"
  }),
  announcements: Schema.optionalKey(Schema.Array(Announcement)).annotate({
    description: "Maintenance windows and news of the host that concern the account, until they have ended"
  })
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
