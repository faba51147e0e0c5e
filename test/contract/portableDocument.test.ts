/** The published OpenAPI document: the contract's, in the form that every generator of clients reads. */
import { assert, describe, it } from "vitest"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { portableDocument } from "#contract/openapi/PortableDocument"
import { lint } from "../support/redocly.ts"

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly schema: Json }>
  readonly requestBody?: Json
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

interface Published {
  readonly openapi: string
  readonly info: Json
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const contract = openApiDocument()
const published = portableDocument(contract) as unknown as Published
const { schemas } = published.components

const operations = Object.entries(published.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation }))
)

const referencesIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)

/** The components that a value refers to, and those that these refer to. */
const componentsOf = (value: unknown): ReadonlyArray<Json> => {
  const names = new Set<string>()
  const follow = (next: unknown): void => {
    for (const name of referencesIn(next)) {
      if (!names.has(name)) {
        names.add(name)
        follow(schemas[name])
      }
    }
  }
  follow(value)
  return [...names].map((name) => schemas[name]!)
}

/** A value with all components that it refers to. */
const whole = (value: unknown): string => JSON.stringify([value, ...componentsOf(value)])

/** The schemas of objects in a value, at any depth. */
const objectsIn = (value: unknown): ReadonlyArray<Json> => {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.entries(value).flatMap(([key, one]) => key.startsWith("example") ? [] : objectsIn(one))
  return "properties" in value && "type" in value && value.type === "object" ? [value as Json, ...inner] : inner
}

describe("the published OpenAPI document", () => {
  it("is OpenAPI 3.0 with a contact and a license, in which the linter finds no problem", () => {
    assert.strictEqual(published.openapi, "3.0.3")
    assert.hasAllKeys(published.info, ["title", "version", "description", "license", "contact"])
    assert.deepStrictEqual(lint(published), [])
  })

  it("has every operation, status and parameter of the contract", () => {
    const shape = (paths: object) =>
      Object.entries(paths as Published["paths"]).map(([path, item]) => [
        path,
        Object.entries(item).map(([method, { operationId, parameters = [], responses }]) =>
          [method, operationId, parameters.map(({ name }) => name), Object.keys(responses)] as const
        )
      ])
    assert.deepStrictEqual(shape(published.paths), shape(contract.paths))
    assert.isAbove(operations.length, 25)
  })

  it("has no construct of OpenAPI 3.1, and no expression that Go cannot compile", () => {
    const text = JSON.stringify(published)
    for (const construct of ["\"type\":\"null\"", "\"examples\":", "\"const\":", "\"type\":[", "(?!", "(?="]) {
      assert.notInclude(text, construct)
    }
    assert.notMatch(text, /"exclusiveM(?:in|ax)imum":\d/)
  })

  it("gives the create one result, an instance or its charge", () => {
    const { responses } = operations.find(({ operation }) => operation.operationId === "instances.create")!.operation
    const schemaOf = (status: string) => responses[status]?.content?.["application/json"]?.schema
    assert.deepStrictEqual(schemaOf("200"), { $ref: "#/components/schemas/CreateResult" })
    assert.deepStrictEqual(schemaOf("201"), schemaOf("200"))
    assert.deepStrictEqual(referencesIn(schemas["CreateResult"]), ["Instance", "DryRun"])
    // A client that tries both must find one that fits: only a dry run has all of its required fields.
    const required = (name: string) => new Set(schemas[name]?.["required"] as ReadonlyArray<string>)
    const [instance, dryRun] = [required("Instance"), required("DryRun")]
    assert.isNotEmpty([...instance].filter((name) => !dryRun.has(name)))
    assert.isNotEmpty([...dryRun].filter((name) => !instance.has(name)))
  })

  it.each(operations)("is open in the responses of $name, and closed in its body", ({ operation }) => {
    const records = objectsIn([operation.responses, ...componentsOf(operation.responses)])
    assert.isNotEmpty(records)
    // Clients of openapi-generator reject an added field where the document only says nothing about others.
    for (const record of records) assert.isOk(record["additionalProperties"])
    if (operation.requestBody !== undefined) {
      assert.include(whole(operation.requestBody), "\"additionalProperties\":false")
    }
    for (const { name, schema } of operation.parameters ?? []) {
      assert.isString(schema["type"], `${name} has one type`)
    }
  })

  it("has 64 bits for amounts of money", () => {
    const numbers = [...JSON.stringify(published).matchAll(/\{[^{}]*"type":"number"[^{}]*\}/g)].map(([text]) => text)
    assert.isNotEmpty(numbers)
    assert.deepStrictEqual(numbers.filter((text) => !text.includes("\"format\":\"double\"")), [])
  })

  it("has 64 bits for sizes and for ids of tasks", () => {
    const integers = Object.entries(schemas).flatMap(([component, { properties = {} }]) =>
      Object.entries(properties as Readonly<Record<string, Json>>)
        .filter(([, { type }]) => type === "integer")
        .map(([name, { format }]) => [`${component}.${name}`, format] as const)
    )
    const large = integers.filter(([, format]) => format === "int64").map(([name]) => name)
    assert.deepStrictEqual(integers.filter(([name]) => name.includes("bytes") && !large.includes(name)), [])
    assert.includeMembers(large, [
      "Snapshot.size_bytes",
      "MetricsSample.memory_total_bytes",
      "Task.id",
      "ActionResult.task_id"
    ])
    assert.notInclude(large, "CreateInstance.service_id")
  })
})
