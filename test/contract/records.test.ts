/** The records on the wire, field by field: those of the specification and the additional ones. */
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { INSTANCE_STATUSES } from "#contract/Instance"

/** A type of the specification. `?` behind a name: not required; `?` behind a type: nullable. */
const RECORDS: Readonly<Record<string, string>> = {
  Instance: `id integer, user_id integer, order_id integer, status string, suspended_reason? string?,
    provider_id? string?, ipv4? string?, provider_data? string?, auto_renew? boolean, expires_at date-time?,
    renewable_until? date-time?, created_at date-time, order Order`,
  Order: `id integer, user_id integer, service_id integer, status string, config? string?, created_at date-time,
    paid_at date-time?, service Service`,
  Service: `id integer, name string, slug string, description string?, price number, billing_cycle string,
    category string, specs string?, is_active boolean, out_of_stock boolean, auto_deploy boolean,
    created_at date-time, pricing? Pricing?`,
  Pricing: `gross number, net number, vat_rate number, vat_amount number, treatment string, charge_amount number,
    display_amount number`,
  PublicPlan: `id integer, name string, slug string, description? string?, price number, billing_cycle string,
    category string, specs? PlanSpecs?`,
  PlanSpecs: "vcpu? integer?, ram? string?, storage? string?, traffic? string?",
  OsOptions: "location_label? string, os_options? OsOption[]",
  OsOption: "slug string, label string, version string, os_id integer, icon? string?",
  DryRun: `dry_run boolean, would_create boolean, service_id integer, plan_name string, billing_cycle string,
    charge_amount number, discount_amount number, currency string, wallet_balance number, sufficient_funds boolean`,
  ResetPasswordResult: "ok boolean, action string, provider_id string, password string, show_once boolean",
  RescueResult: "ok boolean, action string, boot_mode string, restarted boolean",
  NotFound: "detail string",
  ValidationError: "detail ValidationItem[]",
  ValidationItem: "loc (string or integer)[], msg string, type string",
  ServiceInfo: "name string, version string, documentation_url string, openapi_url string, panel_url string",
  Whoami: `account_id integer, email string, key KeyInfo, at_risk? MoneyAtRisk?, payment? Payment?,
    announcements? Announcement[]`,
  Announcement: `id integer, kind string, title string, text string, starts_at date-time, ends_at date-time,
    instances integer[]?`,
  MoneyAtRisk: "missing number, currency string, until date-time, deletion date-time?, instances integer[]",
  Payment: "bank string?, reference string, page string?",
  KeyInfo: `id integer, name string, prefix string, last4 string, scopes string[], effective_scopes string[],
    created_at date-time, expires_at date-time?, last_used_at date-time?`,
  ActionResult: "ok boolean, action string, status string, task_id integer?",
  SnapshotResult: "ok boolean, action string, status string, task_id integer?, snapshot Snapshot",
  ResizeResult: `ok boolean, action string, status string, task_id integer?, charge_amount number, currency string`,
  HostnameResult: "ok boolean, action string, status string, task_id integer?, hostname string",
  RdnsResult: "ok boolean, action string, status string, task_id integer?, ip string, ptr string",
  Snapshot: `id integer, instance_id integer, name string, status string, size_bytes integer?, created_at date-time`,
  Backup: `id integer, instance_id integer, kind string, status string, size_bytes integer?, created_at date-time,
    expires_at date-time`,
  Iso: "id integer, name string, file_name string, size_bytes integer, mounted boolean",
  LiveStatus:
    `instance_id integer, status string, power string, paused string?, boot_mode string, booted string, iso_id integer?,
      task Task?,
    snapshots (used integer, quota integer)?, uptime_seconds integer, sample MetricsSample?`,
  Metrics: "range string, step_seconds integer, samples MetricsSample[]",
  MetricsSample: `at date-time, cpu_percent number, memory_bytes integer, memory_total_bytes integer,
    disk_read_bytes_per_second number, disk_write_bytes_per_second number, network_rx_bytes_per_second number,
    network_tx_bytes_per_second number`,
  TaskPage: "items Task[], total integer, limit integer, offset integer",
  Task: `id integer, instance_id integer, kind string, type string, status string, progress integer, actor string,
    api_key_id integer?, request_id string?, error string?, charge_amount number?,
    currency string?, created_at date-time, started_at date-time?, finished_at date-time?`,
  AvailablePlan: `id integer, name string, slug string, description? string?, price number, billing_cycle string,
    category string, specs? PlanSpecs?, direction string, charge_amount number, currency string`
}

interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly default?: unknown
  readonly description?: string
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<object>
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean
}

/** A schema in the words of the table. */
const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!
  if (schema.items !== undefined) return `${typeOf(schema.items)}[]`
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.map(typeOf)
    return types.at(-1) === "null" ? `${types.slice(0, -1).join(" or ")}?` : `(${types.join(" or ")})`
  }
  return schema.properties === undefined ? schema.format ?? schema.type ?? "anything" : `(${fieldsOf(schema)})`
}

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): string =>
  Object.entries(properties).map(([name, schema]) => `${name}${required.includes(name) ? "" : "?"} ${typeOf(schema)}`)
    .join(", ")

interface Operation {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: JsonSchema }>
  readonly requestBody?: { readonly content: object }
  readonly responses: Readonly<Record<string, { readonly content: object }>>
}

const document = openApiDocument()
const schemas = document.components.schemas as unknown as Readonly<Record<string, JsonSchema>>
const operations = Object.values(document.paths).flatMap((item) => Object.values(item)) as unknown as Array<Operation>
const parameters = operations.flatMap((operation) => operation.parameters)

describe("a record", () => {
  it.each(Object.entries(RECORDS))("%s has exactly its fields, with their types", (name, fields) => {
    assert.strictEqual(fieldsOf(schemas[name]!), fields.replace(/\s+/g, " "))
  })

  it("is in the table if a response has it; all errors have one form", () => {
    const answered = JSON.stringify(operations.map(({ responses }) => responses)).matchAll(/schemas\/(\w+)"/g)
    const alike = (name: string) => fieldsOf(schemas[name]!) === RECORDS["NotFound"]
    const unknown = [...new Set([...answered].map(([, name]) => name!))].filter((name) => !(name in RECORDS))
    assert.deepStrictEqual(unknown.filter((name) => !alike(name)), [])
  })
})

describe("the document", () => {
  it("writes every name in snake_case", () => {
    const ofRecords = Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties))
    const ofRequests = parameters.filter((parameter) => parameter.in !== "header").map(({ name }) => name)
    const names = [...ofRecords, ...ofRequests]
    assert.isAbove(names.length, 150)
    assert.deepStrictEqual(names.filter((name) => !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name)), [])
  })

  it("has the defaults of the specification", () => {
    const { auto_renew: autoRenew } = schemas["Instance"]!.properties!
    const { location_label: label, os_options: options } = schemas["OsOptions"]!.properties!
    assert.deepStrictEqual([autoRenew, label, options].map((field) => field!.default), [true, "", []])
    const defaults = parameters.filter(({ schema }) => "default" in schema)
    assert.deepStrictEqual(defaults.map(({ name, schema }) => [name, schema.default]).toSorted(), [
      ["dry_run", false],
      ["limit", 20],
      ["offset", 0],
      ["range", "1h"]
    ])
  })

  it("lets a plan's specs hold more than it names, and nothing else", () => {
    assert.deepInclude(schemas["PlanSpecs"], { allOf: [{ type: "object", additionalProperties: {} }] })
    const open = Object.keys(schemas).filter((name) => schemas[name]!.additionalProperties !== false)
    assert.deepStrictEqual(open, ["PlanSpecs"])
  })

  it("says what a plan's specs mean: traffic is an allowance, and no figure of protection", () => {
    const meanings = Object.values(schemas["PlanSpecs"]!.properties!).map(({ description }) => description)
    assert.deepStrictEqual(meanings, [
      "Number of virtual CPU cores",
      "Memory, with its unit",
      "Disk size and type, with its unit",
      "Monthly data-transfer allowance"
    ])
  })

  it("says how the rescue system is reached, and that the disk is not mounted", () => {
    const { description } = document.tags.find(({ name }) => name === "rescue")!
    assert.strictEqual(description, "Rescue mode; reached through the console of the panel, the disk is not mounted")
  })

  it("has an integer for every id in a path", () => {
    const ids = parameters.filter((parameter) => parameter.in === "path")
    assert.sameMembers([...new Set(ids.map(({ name }) => name))], ["instance_id", "snap_id", "backup_id", "service_id"])
    assert.deepStrictEqual(ids.filter(({ schema }) => schema.type !== "integer"), [])
  })

  it("knows no other bodies than JSON", () => {
    const bodies = operations.flatMap(({ requestBody, responses }) => [requestBody ?? [], ...Object.values(responses)])
      .flat()
    assert.isAbove(bodies.length, 200)
    for (const { content } of bodies) assert.deepStrictEqual(Object.keys(content), ["application/json"])
  })

  it("says which words are booleans in a query", () => {
    const { schema } = parameters.find(({ name }) => name === "dry_run")!
    assert.deepInclude(schema, { type: "boolean", default: false })
    assert.match(schema.description!, /The service also takes 1, yes, on, t, y and their opposites, case-insensitive$/)
  })

  it("names the statuses of an instance, and says that there may be others", () => {
    const expected = "pending, provisioning, running, stopped, starting, stopping, restarting, reinstalling, " +
      "resizing, restoring, rescue, suspended, expired, failed, deleted"
    assert.strictEqual(INSTANCE_STATUSES.join(", "), expected)
    const { status } = schemas["Instance"]!.properties!
    assert.strictEqual(status!.description, `An open set (treat an unknown value as busy): ${expected}`)
    assert.notProperty(status, "enum")
  })

  it("has no webhook and no callback", () => {
    assert.notProperty(document, "webhooks")
    assert.notInclude(JSON.stringify(document.paths), "\"callbacks\"")
  })
})
