/** OpenAPI links: which response contains the ids that other operations take. */
import { type Document, mapOperations, type Operation } from "./Operations.ts"

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
