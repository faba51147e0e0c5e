/** Adds to the OpenAPI document what the schemas lack: the server, required scopes, and examples. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "../Api.ts"
import { effectiveScopes, RequiredScope, type Scope, SCOPES } from "../Scope.ts"
import { EXAMPLES } from "./Examples.ts"
import { type Document, mapOperations, type Operation } from "./Operations.ts"

type Schemas = Document["components"]["schemas"]

/** The required scope of each operation, by its id in the document. */
const scopes: ReadonlyMap<string, Scope | undefined> = (() => {
  const found = new Map<string, Scope | undefined>()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      found.set(`${group.identifier}.${endpoint.identifier}`, Context.get(endpoint.annotations, RequiredScope))
    }
  })
  return found
})()

const sentenceOf = (scope: Scope | undefined): string => {
  if (scope === undefined) return "Requires a valid key, but no scope."
  const wider = SCOPES.filter((granted) => granted !== scope && effectiveScopes([granted]).includes(scope))
    .map((granted) => `\`${granted}\``)
  const implied = wider.length === 0 ? "" : `, which ${wider.join(" and ")} ${wider.length === 1 ? "implies" : "imply"}`
  return `Requires the scope \`${scope}\`${implied}.`
}

const FORBIDDEN = "403"

/** Responses of a create whose cause differs from that of other operations. */
const OF_CREATE: Readonly<Record<string, string>> = {
  "409": "Another create with this Idempotency-Key is still in progress (with Retry-After)",
  "422": "A field is missing or malformed. If the service is strict: the Idempotency-Key bought another instance, "
    + "whose path is in Location"
}

const describeResponses = ({ operationId, responses }: Operation): Operation["responses"] =>
  operationId === "instances.create"
    ? Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        status in OF_CREATE ? { ...response, description: OF_CREATE[status] } : response
      ])
    ) as Operation["responses"]
    : responses

const withScope = (operation: Operation): object => {
  const scope = scopes.get(operation.operationId)
  const responses = describeResponses(operation)
  const { [FORBIDDEN]: forbidden, ...others } = responses
  return {
    ...operation,
    description: [operation.description, sentenceOf(scope)].filter((text) => text !== undefined).join("\n\n"),
    // Without a required scope, a valid key cannot lack one.
    responses: scope === undefined || forbidden === undefined ? others : responses,
    "x-required-scope": scope ?? null
  }
}

const withExamples = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      name in EXAMPLES ? { ...schema, examples: [EXAMPLES[name]] } : schema
    ])
  ) as Schemas

const BEARER = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "vps_live_ followed by 38 letters and digits",
  description: "An API key. Scopes are cumulative: `vps:create` implies `vps:write`, which implies `vps:read`."
} as const

/** Adds the server, the scope of each operation, and an example of each record, body and error. */
export const withDescriptions = (document: Document): Document => ({
  ...mapOperations(document, withScope),
  servers: [{ url: "/", description: "The service that serves this document" }],
  components: {
    ...document.components,
    schemas: withExamples(document.components.schemas),
    securitySchemes: { ...document.components.securitySchemes, bearer: BEARER }
  } as Document["components"]
})
