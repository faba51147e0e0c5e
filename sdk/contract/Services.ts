/** The catalogue: available plans and their images. Requires a valid key, but no scope. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { operation } from "./Operation.ts"
import { Amount, type Encoded, NullableInt, NullableString, openSet, PathId, UNSHOWN } from "./Primitives.ts"
import { NotFound } from "./Errors.ts"
import { PLAN_SPEC_ENTRIES, type PLAN_SPECS, type PlanSpecName } from "./PlanSpecs.ts"

const SPEC_TYPES = { number: NullableInt, string: NullableString } as const

type SpecFields = {
  readonly [Name in PlanSpecName]: Schema.optionalKey<typeof SPEC_TYPES[typeof PLAN_SPECS[Name]["type"]]>
}

const specFields = Object.fromEntries(
  PLAN_SPEC_ENTRIES.map(([name, { description, type }]) => [
    name,
    Schema.optionalKey(SPEC_TYPES[type].annotate({ description }))
  ])
) as unknown as SpecFields

/** Additional properties are allowed. */
export const PlanSpecs = Schema.StructWithRest(Schema.Struct(specFields), [
  Schema.Record(Schema.String, Schema.Unknown)
])
  .annotate({ identifier: "PlanSpecs", description: "The resources of a plan. Services may add fields" })

const publicPlanFields = {
  id: Schema.Int.annotate({ description: "The value used as `service_id` elsewhere" }),
  name: Schema.String,
  slug: Schema.String,
  description: Schema.optionalKey(NullableString),
  price: Amount.annotate({ description: "Gross price per billing cycle, in units of the currency" }),
  billing_cycle: Schema.String,
  category: Schema.String,
  specs: Schema.optionalKey(Schema.NullOr(PlanSpecs))
}

export const PublicPlan = Schema.Struct(publicPlanFields).annotate({
  identifier: "PublicPlan",
  description: "A plan that can be bought"
})
export interface PublicPlan extends Encoded<typeof PublicPlan> {}

/** A plan that an instance can be resized to, with the charge for doing so now. */
export const AvailablePlan = Schema.Struct({
  ...publicPlanFields,
  direction: openSet(["upgrade", "downgrade"], "`upgrade` or `downgrade`"),
  charge_amount: Amount.annotate({ description: "The charge for resizing now; 0 for a downgrade" }),
  currency: Schema.String
}).annotate({
  identifier: "AvailablePlan",
  ...UNSHOWN,
  description: "A plan that an instance can be resized to, with the charge for it now"
})
export interface AvailablePlan extends Encoded<typeof AvailablePlan> {}

export const OsOption = Schema.Struct({
  slug: Schema.String.annotate({ description: "The value to pass as `os` to create and reinstall" }),
  label: Schema.String,
  version: Schema.String,
  os_id: Schema.Int,
  icon: Schema.optionalKey(NullableString)
}).annotate({ identifier: "OsOption", description: "An image that a plan can run" })

export const OsOptions = Schema.Struct({
  location_label: Schema.optionalKey(Schema.String.annotate({ description: "The plan's data center", default: "" })),
  os_options: Schema.optionalKey(Schema.Array(OsOption).annotate({ default: [] }))
}).annotate({ identifier: "OsOptions", description: "The data center of a plan, and the images that it can run" })
export interface OsOptions extends Encoded<typeof OsOptions> {}

export class Services extends HttpApiGroup.make("services")
  .add(
    HttpApiEndpoint.get("list", "/services", { success: Schema.Array(PublicPlan) })
      .annotateMerge(operation({ retry: "read", signIn: "any" }, "List the plans that can be deployed")),
    HttpApiEndpoint.get("os_options", "/services/:service_id/os-options", {
      params: { service_id: PathId },
      success: OsOptions,
      error: NotFound
    }).annotateMerge(operation({ retry: "read", signIn: "any" }, "List the images a plan can run"))
  )
  .annotate(OpenApi.Description, "Plans and the images installable on each")
{}
