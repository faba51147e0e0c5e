/** Every endpoint of the contract, with what is needed to ask it well: so that a new one is tested at once. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "#contract/Api"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { RequiredScope, type Scope } from "#contract/Scope"

export interface Endpoint {
  /** `group.endpoint`, as faults and the OpenAPI document name it. */
  readonly id: string
  readonly method: string
  /** Below `/api/v1`, with its parameters as `{name}`. */
  readonly path: string
  readonly scope: Scope | undefined
  /** The example of the OpenAPI document; undefined where no body is read. */
  readonly body: Record<string, unknown> | undefined
  /** The fields of the body that are texts. */
  readonly texts: ReadonlyArray<string>
}

interface JsonSchema {
  readonly type?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly examples?: ReadonlyArray<Record<string, unknown>>
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
}

const document = openApiDocument()

const schemaOf = ({ requestBody }: Operation): JsonSchema | undefined => {
  const reference = requestBody?.content["application/json"]?.schema.$ref
  return reference === undefined
    ? undefined
    : document.components.schemas[reference.split("/").at(-1)!] as unknown as JsonSchema
}

const operations = new Map(
  Object.values(document.paths).flatMap((item) => Object.values(item) as unknown as ReadonlyArray<Operation>)
    .map((operation) => [operation.operationId, operation])
)

const isText = (schema: JsonSchema): boolean => schema.type === "string" || schema.anyOf?.some(isText) === true

const collect = (): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      const schema = schemaOf(operations.get(id)!)
      const fields = Object.entries(schema?.properties ?? {})
      found.push({
        id,
        method: endpoint.method,
        path: endpoint.path.replace("/api/v1", "").replace(/:([^/]+)/g, "{$1}"),
        scope: Context.get(endpoint.annotations, RequiredScope),
        body: schema?.examples?.[0],
        texts: fields.flatMap(([name, property]) => isText(property) ? [name] : [])
      })
    }
  })
  return found
}

export const ENDPOINTS: ReadonlyArray<Endpoint> = collect()

/** The endpoint's path with these ids in the order of its parameters; the last one stands for all that follow. */
export const fill = ({ path }: Endpoint, ...ids: ReadonlyArray<number | string>): string => {
  let next = 0
  return path.replace(/\{\w+\}/g, () => String(ids[Math.min(next++, ids.length - 1)]))
}
