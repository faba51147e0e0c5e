/** The requests, scopes and errors of the SDK's calls, from the contract and the endpoints of the client. */
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { apiError } from "#sdk/client/errors/ApiErrors"
import { endpoints } from "#sdk/client/calls/Endpoints"
import type { Operation } from "#sdk/client/chain/Request"
import type { Call, Group } from "./sdkSource.ts"

interface Described {
  readonly operationId: string
  readonly responses: object
  readonly "x-required-scope": string | null
}

interface Endpoint {
  readonly scope: string | null
  readonly statuses: ReadonlyArray<number>
}

/** The endpoints of the contract, by operation ID. */
const contract: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(openApiDocument().paths).flatMap((item) => Object.values(item as Record<string, Described>)).map((
    operation
  ) => [
    operation.operationId,
    {
      scope: operation["x-required-scope"],
      statuses: Object.keys(operation.responses).map(Number).filter((status) => status >= 400)
    }
  ])
)

/** The statuses that every call can return: 403 belongs to the scope, 500 is always a bug, and no call returns 405. */
const COMMON = [401, 403, 422, 429, 500, 503]
const OF_NO_CALL = [...COMMON, 405]

/** Statuses of a create that a dry run cannot fail with: it charges nothing, and claims no key. */
const OF_PURCHASES = [402, 409, 504]

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const wire = ({ fixedQuery = {}, method, path }: Operation): string => {
  const query = Object.entries(fixedQuery).map(([name, value]) => `${name}=${value}`).join("&")
  return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}${query === "" ? "" : `?${query}`}`
}

interface Composed {
  readonly requests: string
  readonly scope: string | null
  /** The calls whose errors it has. */
  readonly calls: ReadonlyArray<string>
}

const composed = (requests: string, scope: string | null, ...calls: ReadonlyArray<string>): Composed => ({
  requests,
  scope,
  calls
})

const REBOOT = ["rescue.enter", "power.restart", "monitoring.status"] as const

/** The calls that are not an endpoint. */
const COMPOSED: Readonly<Record<string, Composed>> = {
  "account.balance": composed("`services.list`, then `instances.dryRun`", "vps:create", "instances.dryRun"),
  "bulk.each": composed("the requests of the function", null),
  "bulk.createAndWait": composed("`instances.createAndWait` for each name", "vps:create"),
  "instances.createAndWait": composed(
    "`create`, then polls like `waitUntilDeployed`",
    "vps:create",
    "instances.create"
  ),
  "instances.waitUntilDeployed": composed("`get`, or `list` for many waits", "vps:read", "instances.get"),
  "instances.waitUntil": composed("`get`, or `list` for many waits", "vps:read", "instances.get"),
  "instances.waitUntilIdle": composed(
    "`monitoring.status`, and `list` for many waits",
    "vps:read",
    "monitoring.status"
  ),
  "tasks.iterate": composed("`monitoring.tasks` for each page", "vps:read", "monitoring.tasks"),
  "rescue.enterAndWait": composed("`enter`, `power.restart` if needed, then polls", "vps:write", ...REBOOT),
  "rescue.exitAndWait": composed("`exit`, `power.restart` if needed, then polls", "vps:write", ...REBOOT)
}

const operations = endpoints as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>

const operationOf = (name: string): Operation | undefined => {
  const [group = "", call = ""] = name.split(".")
  return operations[group]?.[call]
}

const composedOf = (name: string): Composed => {
  const found = COMPOSED[name]
  if (found === undefined) throw new Error(`${name} is not an endpoint. Add the requests it sends to COMPOSED.`)
  return found
}

const endpointOf = (name: string): Endpoint => {
  const id = name === "instances.dryRun" ? "instances.create" : snake(name)
  const found = contract.get(id)
  if (found === undefined) throw new Error(`The contract has no endpoint ${id}`)
  return found
}

/** The statuses that not every call can return. */
const statusesOf = (name: string): ReadonlyArray<number> => {
  if (operationOf(name) === undefined) return [...new Set(composedOf(name).calls.flatMap(statusesOf))]
  const excluded = name === "instances.dryRun" ? [...OF_NO_CALL, ...OF_PURCHASES] : OF_NO_CALL
  return endpointOf(name).statuses.filter((status) => !excluded.includes(status))
}

const errorOf = (status: number): string => {
  const { name } = apiError({
    status,
    detail: "",
    retryAfter: undefined,
    headers: {},
    missingScope: undefined,
    issues: []
  })
  return `\`${name}\` (${status})`
}

/** The errors of every call. */
export const commonErrors = (): string => COMMON.map(errorOf).join(", ")

const WAIT_ERRORS = ["`WaitTimeoutError`", "`ProvisioningFailedError`", "`CallbackError`"]

export interface Facts {
  readonly request: string
  readonly scope: string | null
  /** The retry class of an endpoint. */
  readonly retry: string | undefined
  /** The errors that not every call has. */
  readonly errors: ReadonlyArray<string>
}

export const factsOf = (group: Group, call: Call): Facts => {
  const name = `${group.name}.${call.name}`
  const operation = operationOf(name)
  const errors = [
    ...statusesOf(name).toSorted((a, b) => a - b).map(errorOf),
    ...(call.isWait ? WAIT_ERRORS : [])
  ]
  if (operation === undefined) {
    const { requests, scope } = composedOf(name)
    return { request: requests, scope, retry: undefined, errors }
  }
  return { request: `\`${wire(operation)}\``, scope: endpointOf(name).scope, retry: operation.retry, errors }
}
