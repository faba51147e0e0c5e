/**
 * The OpenAPI document as the service publishes it: in OpenAPI 3.0, which every generator of clients reads, and open
 * where a later version may add to it. It describes the same API as the document of the contract.
 */
import { type Document, mapOperations } from "./OpenApiDocument.ts"

type Schema = Readonly<Record<string, unknown>>
type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const NULL = { type: "null" }

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === NULL.type

/** 3.0 has no type of its own for null. */
const nullable = (schemas: ReadonlyArray<Schema>, rest: Schema): Schema => {
  const others = schemas.filter((one) => !isNull(one))
  const [only, ...more] = others
  if (only === undefined || more.length > 0) return { ...rest, anyOf: others, nullable: true }
  return { ...only, ...rest, nullable: true }
}

/** A regular expression with a lookahead, which Go's generators cannot compile; the description has the rule. */
const hasLookahead = (pattern: unknown): boolean => typeof pattern === "string" && pattern.includes("(?!")

/** Sizes exceed 2^31, and each operation has a task. Other ids and counts stay small, as generators expect them. */
const isLarge = (path: string): boolean =>
  /_bytes(?:_per_second)?$|\.(?:uptime_seconds|task_id|total)$|(?:^Task|\.task)\.id$/.test(path)

/** Without it, Go's generators take 32 bits, which cannot hold the cents of a million. */
const formatOf = (type: unknown, path: string): Schema =>
  type === "number" ? { format: "double" } : type === "integer" && isLarge(path) ? { format: "int64" } : {}

/** One schema, without those inside of it. `path`: the names of its component and its property. */
const inVersion30 = (schema: Schema, path: string): Schema => {
  const { anyOf, examples, exclusiveMaximum, exclusiveMinimum, pattern, ...rest } = schema
  const bounds = {
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum === undefined ? {} : { maximum: exclusiveMaximum, exclusiveMaximum: true })
  }
  const example = Array.isArray(examples) ? { example: examples[0] as unknown } : {}
  const own: Schema = {
    ...rest,
    ...(pattern === undefined || hasLookahead(pattern) ? {} : { pattern }),
    ...bounds,
    ...example
  }
  if (!Array.isArray(anyOf)) return { ...own, ...formatOf(own["type"], path) }
  return anyOf.some(isNull) ? nullable(anyOf as ReadonlyArray<Schema>, own) : { ...own, anyOf }
}

/** The places of schemas in a document: below these keys, and nowhere else. */
const SCHEMA = new Set(["schema", "items", "not", "additionalProperties"])
const SCHEMAS = new Set(["anyOf", "oneOf", "allOf"])
/** Values, which may look like schemas. */
const VALUES = new Set(["example", "examples", "default", "enum"])

const mapValues = (object: Json, change: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** Changes every schema of a document, the innermost first. */
const mapSchemas = (change: (schema: Schema, path: string) => Schema) => {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    return isObject(value) ? mapValues(value, visitMember) : value
  }
  const schema = (value: unknown, path: string): unknown =>
    isObject(value) ? change(inside(value, path) as Schema, path) : value
  const inside = (value: Json, path: string): Json =>
    mapValues(value, (member, key) => {
      // The schemas of a union have the name of their property.
      if (SCHEMAS.has(key) && Array.isArray(member)) return member.map((one) => schema(one, path))
      if (key !== "properties" || !isObject(member)) return visitMember(member, key)
      return mapValues(member, (one, name) => schema(one, `${path}.${name}`))
    })
  const visitMember = (value: unknown, key: string): unknown => {
    if (VALUES.has(key)) return value
    if (SCHEMA.has(key)) return schema(value, "")
    return key === "schemas" && isObject(value) ? mapValues(value, schema) : visit(value)
  }
  return visit
}

const REFERENCE = "#/components/schemas/"

const referencesIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)

/** The components of requests: the service refuses a field that they do not have. */
const requested = (document: Document): ReadonlySet<string> => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as ReadonlyArray<Json>)
  const found = new Set<string>()
  const follow = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      if (found.has(name)) continue
      found.add(name)
      follow(document.components.schemas?.[name])
    }
  }
  for (const { requestBody } of operations) follow(requestBody)
  return found
}

/** Said, and not only left open: where the document is silent, clients of openapi-generator reject what is added. */
const open = (schema: Schema): Schema => {
  const { additionalProperties = false, allOf, type } = schema
  const isOpen = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  if (type !== "object" || isOpen) return schema
  // That a record has further fields is one of its parts in the contract, which Java's generator loses.
  const parts = Array.isArray(allOf) ? allOf.filter((part) => !isObject(part) || "properties" in part) : []
  return { ...schema, allOf: parts.length > 0 ? parts : undefined, additionalProperties: true }
}

/** A client that was generated from an earlier document ignores a field that was added to a response. */
const withOpenResponses = (document: Document): Document => {
  const closed = requested(document)
  const opened = mapSchemas(open)
  const schemas = mapValues(
    document.components.schemas ?? {},
    (schema, name) => closed.has(name) ? schema : (opened({ schema }) as Json)["schema"]
  )
  const changed = mapOperations(document, (operation) => ({ ...operation, responses: opened(operation.responses) }))
  return { ...changed, components: { ...document.components, schemas } as Document["components"] }
}

/** 3.0 has no null beside a reference: the component is written out where it may be absent. */
const withoutNullableReferences = (document: Document): Document => {
  const { schemas = {} } = document.components
  const componentOf = (schema: unknown): unknown => {
    const [name] = isObject(schema) && "$ref" in schema ? referencesIn(schema) : []
    return name === undefined ? schema : schemas[name]
  }
  const written = mapSchemas((schema) => {
    const { anyOf } = schema
    return Array.isArray(anyOf) && anyOf.some(isNull) ? { ...schema, anyOf: anyOf.map(componentOf) } : schema
  })(document) as Document
  const used = new Set(referencesIn(written))
  const remaining = Object.entries(written.components.schemas ?? {}).filter(([name]) => used.has(name))
  return { ...written, components: { ...written.components, schemas: Object.fromEntries(remaining) } }
}

const CREATE_RESULT = "CreateResult"

/** Generators give an operation one type of result, and take that of one status; a create has two. */
const withOneCreateResult = (document: Document): Document => {
  const schema = { $ref: `${REFERENCE}${CREATE_RESULT}` }
  const oneResult = (response: unknown): Json => ({ ...response as Json, content: { "application/json": { schema } } })
  const changed = mapOperations(document, (operation) => {
    if (operation.operationId !== "instances.create") return operation
    const responses = mapValues(
      operation.responses as unknown as Json,
      (response, status) => status === "200" || status === "201" ? oneResult(response) : response
    )
    return { ...operation, responses }
  })
  const result = {
    description: "An instance (201), or with dry_run its charge (200).",
    oneOf: ["Instance", "DryRun"].map((name) => ({ $ref: `${REFERENCE}${name}` }))
  }
  const schemas = { ...document.components.schemas, [CREATE_RESULT]: result }
  return { ...changed, components: { ...document.components, schemas } as Document["components"] }
}

/** The document as the service publishes it. */
export const portableDocument = (document: Document): object => {
  const portable = mapSchemas(inVersion30)(
    withoutNullableReferences(withOpenResponses(withOneCreateResult(document)))
  ) as Document
  const contact = { name: "The host that runs this service" }
  return { ...portable, openapi: "3.0.3", info: { ...portable.info, contact } }
}
