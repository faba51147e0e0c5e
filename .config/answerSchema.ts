/** Makes the result types of the functions in Pulumi's schema from the contract of their endpoints. */
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import type { FunctionName } from "#provider/functions/Functions"

export type Json = Readonly<Record<string, unknown>>
export type Types = Record<string, Json>

/** The endpoint whose answer each function returns. Functions without one have their types written out. */
const ENDPOINTS: Partial<Readonly<Record<FunctionName, string>>> = {
  getPlans: "/services",
  getOsOptions: "/services/{service_id}/os-options",
  getInstance: "/instances/{instance_id}",
  getInstances: "/instances",
  getStatus: "/instances/{instance_id}/status",
  getMetrics: "/instances/{instance_id}/metrics",
  getTasks: "/instances/{instance_id}/tasks",
  getAvailablePlans: "/instances/{instance_id}/available-plans",
  getSnapshots: "/instances/{instance_id}/snapshots",
  getBackups: "/instances/{instance_id}/backups",
  getIsos: "/instances/{instance_id}/isos",
  getWhoami: "/whoami"
}

/** A function that returns one of several has the schema of one. */
const COMPONENTS: Partial<Readonly<Record<FunctionName, string>>> = { getPlan: "PublicPlan", getImage: "OsOption" }

const WALLET: Json = {
  type: "object",
  properties: {
    balance: { type: "number", description: "In units of `currency`." },
    currency: { type: "string", description: "The wallet's currency code." }
  },
  required: ["balance", "currency"]
}

const document = openApiDocument()

const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
export const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const asRecord = (value: unknown): Json => (value ?? {}) as Json

/** Byte counts need more than the 32 bits that an integer has in some languages. */
export const isWide = (name: string): boolean => /bytes/i.test(name)

/** The inner schema of a nullable one. In Pulumi's schema, nullable means not required. */
const nullable = (schema: Json): Json | undefined => {
  const choices = (schema["anyOf"] ?? []) as ReadonlyArray<Json>
  const [only, ...others] = choices.filter(({ type }) => type !== "null")
  return only === undefined || others.length > 0 || choices.length === 1 ? undefined : only
}

/** Converts a schema of the contract to Pulumi's. Adds the types it refers to. */
export const answer = (types: Types, owner: string, name: string, schema: Json): Json => {
  const inner = nullable(schema)
  if (inner !== undefined) return answer(types, owner, name, { ...inner, ...describe(schema) })
  const ref = schema["$ref"]
  if (typeof ref === "string") return named(types, ref.split("/").at(-1) ?? "")
  if (schema["type"] === "array") {
    return { type: "array", items: answer(types, owner, name, asRecord(schema["items"])), ...describe(schema) }
  }
  if (schema["type"] !== "object") {
    const type = schema["type"] === "integer" && isWide(name) ? "number" : schema["type"]
    return { type, ...describe(schema) }
  }
  const own = `${owner}${capital(name)}`
  types[`vps:index:${own}`] ??= objectOf(types, own, schema)
  return { $ref: `#/types/vps:index:${own}` }
}

const describe = ({ description }: Json): Json => description === undefined ? {} : { description }

/** Adds a suffix to the component's name: a result and a resource of the same name would be one type in Go. */
const named = (types: Types, component: string): Json => {
  const token = `vps:index:${component}Info`
  if (types[token] === undefined) {
    types[token] = {}
    types[token] = objectOf(types, component, asRecord(document.components.schemas[component]))
  }
  return { $ref: `#/types/${token}` }
}

export const objectOf = (types: Types, owner: string, schema: Json): Json => {
  const properties = Object.entries(asRecord(schema["properties"])) as ReadonlyArray<[string, Json]>
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(([name, one]) => [camel(name), answer(types, owner, camel(name), one)])
    ),
    required: properties.filter(([name, one]) => required.includes(name) && nullable(one) === undefined)
      .map(([name]) => camel(name))
  }
}

export const resolved = (schema: Json): Json => {
  const ref = schema["$ref"]
  return typeof ref === "string" ? asRecord(document.components.schemas[ref.split("/").at(-1) ?? ""]) : schema
}

export const answerSchema = (name: FunctionName): Json => {
  const component = COMPONENTS[name]
  if (component !== undefined) return asRecord(document.components.schemas[component])
  const path = ENDPOINTS[name]
  if (path === undefined) return WALLET
  const item = document.paths[`/api/v1${path}`]
  return asRecord(item?.get?.responses["200"]?.content?.["application/json"]?.schema)
}
