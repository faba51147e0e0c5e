/** The OpenAPI document has all content of the specification's endpoint table. */
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { ENDPOINTS } from "../support/endpoints.ts"

const document = openApiDocument()

/** Bounds of the spec's body tables: field to what JSON Schema must say. */
const BODIES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  CreateInstance: {
    service_id: { type: "integer", exclusiveMinimum: 0 },
    hostname: { minLength: 1, maxLength: 253 },
    os: { minLength: 1, maxLength: 64 },
    ssh_pubkey: { minLength: 1, maxLength: 4096 },
    root_password: { minLength: 8, maxLength: 20 },
    coupon_code: { minLength: 1, maxLength: 64 }
  },
  Reinstall: {
    os: { minLength: 1, maxLength: 64 },
    os_id: { type: "integer", exclusiveMinimum: 0 },
    password: { minLength: 8, maxLength: 128 },
    ssh_pubkey: { minLength: 1, maxLength: 4096 }
  },
  Hostname: { hostname: { minLength: 1, maxLength: 253 } },
  Rdns: { ip: { minLength: 3, maxLength: 45 }, ptr: { minLength: 1, maxLength: 253 } },
  Resize: { service_id: { type: "integer", exclusiveMinimum: 0 } },
  CreateSnapshot: { name: { minLength: 1, maxLength: 64 } },
  MountIso: { iso_id: { type: "integer", exclusiveMinimum: 0 } }
}

interface Operation {
  readonly summary?: string
  readonly description: string
  readonly "x-required-scope": string | null
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: object }>
  readonly responses: object
}

interface Response {
  readonly description: string
  readonly headers: object
}

interface JsonSchema {
  readonly type?: string
  readonly additionalProperties?: boolean
  readonly required?: ReadonlyArray<string>
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
}

const component = (name: string): JsonSchema => document.components.schemas[name] as unknown as JsonSchema

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation: operation as Operation
  }))
)

/** By the document's method and path. */
const SCOPES = new Map(ENDPOINTS.map(({ method, path, scope }) => [`${method} /api/v1${path}`, scope]))

describe("the OpenAPI document", () => {
  for (const [name, fields] of Object.entries(BODIES)) {
    it(`${name} forbids unknown properties and carries the spec's bounds`, () => {
      const schema = component(name)
      assert.isFalse(schema.additionalProperties)
      assert.sameMembers(Object.keys(schema.properties), Object.keys(fields))
      for (const [field, bounds] of Object.entries(fields)) {
        const property = schema.properties[field]!
        const stated = property.anyOf?.find((one) => one.type !== "null") ?? property
        assert.deepInclude(flat(stated), bounds, field)
      }
    })
  }

  it("every endpoint says 401, 405, 422, 429, 500 and 503, names its errors, and has a summary", () => {
    for (const { name, operation } of operations) {
      assert.includeMembers(Object.keys(operation.responses), ["401", "405", "422", "429", "500", "503"], name)
      assert.isNotEmpty(operation.summary, name)
    }
  })

  it("every endpoint names its scope, and says 403 when there is one", () => {
    for (const { name, operation } of operations) {
      const scope = SCOPES.get(name) ?? null
      assert.strictEqual(operation["x-required-scope"], scope, name)
      assert.strictEqual("403" in operation.responses, scope !== null, name)
      assert.include(operation.description, scope ?? "no scope", name)
    }
  })

  it("every record, body and error of an operation has an example", () => {
    const named = JSON.stringify(document.paths).matchAll(/"#\/components\/schemas\/(\w+)"/g)
    for (const name of new Set([...named].map(([, found]) => found!))) {
      assert.isNotEmpty((document.components.schemas[name] as { examples?: [] }).examples ?? [], name)
    }
  })

  it("a create answers 201 or 200, and 400, 402, 404, 409 and 413", () => {
    const create = operations.find(({ name }) => name === "POST /api/v1/instances")!.operation
    assert.includeMembers(Object.keys(create.responses), ["200", "201", "400", "402", "404", "409", "413"])
    assert.deepStrictEqual(create.parameters.map(({ in: part, name }) => `${part} ${name}`).toSorted(), [
      "header Idempotency-Key",
      "header VPS-Max-Charge",
      "header X-Request-Id",
      "query dry_run"
    ])
  })

  it("a create names the headers of a used key, and its own 409", () => {
    const { responses } = operations.find(({ name }) => name === "POST /api/v1/instances")!.operation
    const { 200: preview, 409: conflict, 422: invalid } = responses as Record<string, Response>
    assert.property(preview!.headers, "Idempotent-Mismatch")
    assert.property(invalid!.headers, "Location")
    assert.include(invalid!.description, "Location")
    assert.property(conflict!.headers, "Retry-After")
    assert.include(conflict!.description, "Another create with this Idempotency-Key")
  })

  it.each([
    ["POST /api/v1/instances/{instance_id}/reset-password", "mailed to the owner"],
    ["POST /api/v1/instances/{instance_id}/resize", "downgrade takes effect without a refund"],
    ["POST /api/v1/instances/{instance_id}/reinstall", "keys are not carried over"],
    ["POST /api/v1/instances", "returns the original instance and charges nothing"]
  ])("%s says: %s", (endpoint, sentence) => {
    assert.include(operations.find(({ name }) => name === endpoint)!.operation.description, sentence)
  })

  it("ids, pages and flags have their real types", () => {
    const tasks = operations.find(({ name }) => name.endsWith("/tasks"))!.operation
    const types = Object.fromEntries(tasks.parameters.map(({ name, schema }) => [name, schema]))
    assert.deepInclude(types["instance_id"], { type: "integer" })
    assert.deepInclude(types["limit"], { type: "integer", minimum: 1, maximum: 100, default: 20 })
    assert.deepInclude(types["offset"], { type: "integer", minimum: 0, default: 0 })
  })
})

/** A schema with the keywords of its `allOf` pulled up. */
function flat(schema: JsonSchema): object {
  return Object.assign({}, schema, ...schema.allOf ?? [])
}
