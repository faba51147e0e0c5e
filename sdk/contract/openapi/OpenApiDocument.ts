/** The OpenAPI 3.1 document of the contract. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../Api.ts"
import { withDescriptions } from "./Descriptions.ts"
import { type Document, mapOperations, type Operation } from "./Operations.ts"
import { withParameters } from "./Parameters.ts"

// OpenAPI links: which response contains the ids that other operations take.

interface Link {
  readonly operationId: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A response that contains the value of a parameter, with the request's own parameters. */
interface Source {
  /** The operation, and the status of its response. */
  readonly from: string
  readonly status: string
  readonly parameters: Readonly<Record<string, string>>
}

const SAME_INSTANCE = { instance_id: "$request.path.instance_id" }

const SOURCES: ReadonlyArray<Source> = [
  { from: "instances.create", status: "201", parameters: { instance_id: "$response.body#/id" } },
  { from: "instances.list", status: "200", parameters: { instance_id: "$response.body#/0/id" } },
  { from: "services.list", status: "200", parameters: { service_id: "$response.body#/0/id" } },
  { from: "snapshots.create", status: "200", parameters: { ...SAME_INSTANCE, snap_id: "$response.body#/snapshot/id" } },
  { from: "snapshots.list", status: "200", parameters: { ...SAME_INSTANCE, snap_id: "$response.body#/0/id" } },
  { from: "backups.list", status: "200", parameters: { ...SAME_INSTANCE, backup_id: "$response.body#/0/id" } }
]

const parametersIn = (path: string): string =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted().join()

/** Links to every operation whose path has exactly these parameters. */
const linksOf = ({ parameters }: Source, document: Document): Record<string, Link> => {
  const names = Object.keys(parameters).toSorted().join()
  const matching = Object.entries(document.paths).filter(([path]) => parametersIn(path) === names)
  return Object.fromEntries(
    matching.flatMap(([, item]) => Object.values(item) as ReadonlyArray<Operation>)
      .map(({ operationId }) => [operationId, { operationId, parameters }])
  )
}

/** Adds the links. */
export const withLinks = (document: Document): Document =>
  mapOperations(document, (operation) => {
    const source = SOURCES.find(({ from }) => from === operation.operationId)
    if (source === undefined) return operation
    const responses: Readonly<Record<string, object | undefined>> = operation.responses
    const response = { ...responses[source.status], links: linksOf(source, document) }
    return { ...operation, responses: { ...responses, [source.status]: response } }
  })

/** Renames components to their wire names: clients only receive the encoded form of an error. */
const withoutSuffix = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/"((?:#\/components\/schemas\/)?[A-Z]\w*)Encoded"/g, "\"$1\""))

/** Removes `_tag`, by which TypeScript distinguishes decoded errors; responses never contain it. */
const withoutTags = (document: Document): Document => {
  const schemas = Object.entries(document.components.schemas ?? {}).map(([name, schema]) => {
    const { _tag, ...properties } = (schema["properties"] ?? {}) as Record<string, unknown>
    return [name, _tag === undefined ? schema : { ...schema, properties }]
  })
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } }
}

/** Removes the bounds of JavaScript's safe integers, which are not the API's. */
const withoutSafeBounds = (document: Document): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(/,"(?:min|max)imum":-?9007199254740991/g, ""))

/** The complete document: every endpoint, status, header, scope, bound and link, with examples. */
export const openApiDocument = (): Document =>
  withDescriptions(withLinks(withParameters(withoutSafeBounds(withoutTags(withoutSuffix(OpenApi.fromApi(Api)))))))
