/**
 * The records that the specification shows, field by field, and those of which it shows none: clients rely on the
 * former only.
 */
import { assert, describe, it } from "vitest"
import { SHAPES } from "#sdk/client/host/Shapes"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"

interface Record {
  readonly properties?: Readonly<{ [field: string]: unknown }>
  readonly required?: ReadonlyArray<string>
}

const schemas = openApiDocument().components.schemas as unknown as Readonly<{ [name: string]: Record }>

/** From the specification: a question mark is a field that is not required. */
const SHOWN: Readonly<{ [name: string]: string }> = {
  Instance: "id user_id order_id status suspended_reason? provider_id? ipv4? provider_data? auto_renew? expires_at "
    + "created_at order",
  Order: "id user_id service_id status config? created_at paid_at service",
  Service: "id name slug description price billing_cycle category specs is_active out_of_stock auto_deploy created_at "
    + "pricing?",
  Pricing: "gross net vat_rate vat_amount treatment charge_amount display_amount",
  PublicPlan: "id name slug description? price billing_cycle category specs?",
  OsOptions: "location_label? os_options?",
  OsOption: "slug label version os_id icon?",
  DryRun:
    "dry_run would_create service_id plan_name billing_cycle charge_amount discount_amount currency wallet_balance "
    + "sufficient_funds",
  ResetPasswordResult: "ok action provider_id password show_once",
  RescueResult: "ok action boot_mode restarted"
}

/** Optional fields that this service adds to a record that the specification shows. */
const ADDED: Readonly<{ [name: string]: ReadonlyArray<string> }> = { Instance: ["renewable_until"] }

const isShown = (name: string): boolean => Object.hasOwn(SHOWN, name)

/** Records that requests contain, errors, and specs, of which any field may be null. */
const OTHERS =
  /^(Create|Reinstall$|Resize$|Hostname$|Rdns$|MountIso$|PlanSpecs$|Validation|\w+Error|Bad|Conflict|Forbidden)/
const OTHER_NAMES =
  /^(GatewayTimeout|NotFound|Payload|PaymentRequired|ServiceUnavailable|TooMany|Unauthorized|Internal)/

describe("the specification's records", () => {
  it.each(Object.entries(SHOWN))("%s has the fields that are shown, and requires no others", (name, shown) => {
    const { properties = {}, required = [] } = schemas[name]!
    const fields = shown.split(" ")
    const added = ADDED[name] ?? []
    assert.deepStrictEqual(
      Object.keys(properties).toSorted(),
      [...fields.map((field) => field.replace("?", "")), ...added].toSorted()
    )
    assert.deepStrictEqual(required.toSorted(), fields.filter((field) => !field.endsWith("?")).toSorted())
  })

  it("are all that clients read without a view", () => {
    const names = Object.keys(schemas).filter((name) => !OTHERS.test(name) && !OTHER_NAMES.test(name))
    assert.deepStrictEqual(names.filter((name) => !isShown(name) && !Object.hasOwn(SHAPES, name)), [])
    assert.deepStrictEqual(Object.keys(SHAPES).filter(isShown), [])
  })
})
