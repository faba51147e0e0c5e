/** Which answer holds the ids that other operations ask for, as OpenAPI's links say it. */
import type * as OpenApi from "effect/http-api/OpenApi"

type Document = ReturnType<typeof OpenApi.fromApi>
type Operation = NonNullable<Document["paths"][string]["get"]>

interface Link {
  readonly operationId: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Where the value of a parameter stands; that of the request is passed on. */
interface Source {
  /** The operation and the status of its answer. */
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

const namesIn = (path: string): ReadonlyArray<string> => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** The links of an answer to every operation whose path asks for exactly what it tells. */
const linksOf = ({ parameters }: Source, document: Document): Record<string, Link> => {
  const told = Object.keys(parameters).toSorted().join()
  const fitting = Object.entries(document.paths).filter(([path]) => namesIn(path).toSorted().join() === told)
  return Object.fromEntries(
    fitting.flatMap(([, item]) => Object.values(item) as ReadonlyArray<Operation>)
      .map(({ operationId }) => [operationId, { operationId, parameters }])
  )
}

const withLinks = (operation: Operation, document: Document): Operation => {
  const source = SOURCES.find(({ from }) => from === operation.operationId)
  if (source === undefined) return operation
  const responses: Readonly<Record<string, object | undefined>> = operation.responses
  const response = { ...responses[source.status], links: linksOf(source, document) }
  return { ...operation, responses: { ...responses, [source.status]: response } } as Operation
}

/** The document with links from where ids are told to where they are asked for. */
export const describeLinks = (document: Document): Document => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, one]) => [method, withLinks(one as Operation, document)]))
    ])
  )
})
