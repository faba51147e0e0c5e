/** What the OpenAPI document says beside the schemas: where the service is, which scope is needed, and examples. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"
import { EXAMPLES } from "./Examples.ts"
import { effectiveScopes, RequiredScope, type Scope, SCOPES } from "./Scope.ts"

type Document = ReturnType<typeof OpenApi.fromApi>
type Operation = NonNullable<Document["paths"][string]["get"]>
type Schemas = Document["components"]["schemas"]

/** The scope of each operation, by the id that the document gives it. */
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

/** The granted scopes that open a door, widest first. */
const openedBy = (scope: Scope): ReadonlyArray<Scope> =>
  SCOPES.filter((granted) => effectiveScopes([granted]).includes(scope))

const sentenceOf = (scope: Scope | undefined): string => {
  if (scope === undefined) return "Needs a valid key; no scope."
  const wider = openedBy(scope).filter((granted) => granted !== scope).map((granted) => `\`${granted}\``)
  return `Needs the scope \`${scope}\`${wider.length === 0 ? "" : `, which ${wider.join(" and ")} imply`}.`
}

const FORBIDDEN = "403"

const withScope = (operation: Operation): Operation => {
  const scope = scopes.get(operation.operationId)
  const { [FORBIDDEN]: forbidden, ...others } = operation.responses
  return {
    ...operation,
    description: [operation.description, sentenceOf(scope)].filter((text) => text !== undefined).join("\n\n"),
    // Without a required scope there is nothing that a valid key could lack.
    responses: scope === undefined || forbidden === undefined ? others : operation.responses,
    "x-required-scope": scope ?? null
  } as Operation
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
  bearerFormat: "vps_live_ and 38 letters and digits",
  description: "An API key. Its scopes are cumulative: `vps:create` implies `vps:write`, and that implies `vps:read`."
} as const

/** The document with its server, the scope of each operation, and an example of each record, body and error. */
export const describe = (document: Document): Document =>
  ({
    ...document,
    servers: [{ url: "/", description: "The service that serves this document" }],
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, one]) => [method, withScope(one as Operation)]))
      ])
    ),
    components: {
      ...document.components,
      schemas: withExamples(document.components.schemas),
      securitySchemes: { ...document.components.securitySchemes, bearer: BEARER }
    }
  }) as Document
