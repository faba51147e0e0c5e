/** `npm run sdk:page`: generates docs/sdk-reference.md from the contract and the sources of the client. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { apiError } from "#sdk/client/errors/ApiErrors"
import { ConnectionError } from "#sdk/client/errors/Errors"
import {
  BACKOFF_BASE_MS,
  BACKOFF_CAP_MS,
  LIST_THRESHOLD,
  MAX_RETRIES,
  POLL_CAP_MS,
  POLL_FIRST_MS,
  POLL_TICK_MS,
  POLLS_PER_TICK,
  RETRY_AFTER_MAX_S
} from "#sdk/client/options/Limits"
import { endpoints } from "#sdk/client/calls/Endpoints"
import type { Operation, RetryKind } from "#sdk/client/chain/Operation"
import { isRetryable } from "#sdk/client/chain/Retry"
import { table } from "./markdownTable.ts"
import { type Call, errorsOf, type Group, groups, optionsOf } from "./sdkSource.ts"

export const PAGE = fileURLToPath(new URL("../docs/sdk-reference.md", import.meta.url))

const KINDS: ReadonlyArray<readonly [RetryKind, string]> = [
  ["read", "changes nothing"],
  ["purchase", "costs money, and sends one idempotency key with every attempt"],
  ["mutation", "changes something"],
  ["idempotent", "changes something, and changes nothing more when repeated"],
  ["once", "must not be executed twice"]
]

const document = openApiDocument()

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
  Object.values(document.paths).flatMap((item) => Object.values(item as Record<string, Described>)).map((operation) => [
    operation.operationId,
    {
      scope: operation["x-required-scope"],
      statuses: Object.keys(operation.responses).map(Number).filter((status) => status >= 400)
    }
  ])
)

/** The statuses that every call can return: 403 belongs to the scope, and 500 is always a bug. */
const COMMON = new Set([401, 403, 405, 422, 429, 500, 503])

/** Statuses of a create that a dry run cannot fail with: it charges nothing, and claims no key. */
const OF_PURCHASES = new Set([402, 409, 504])

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const wire = ({ fixedQuery = {}, method, path }: Operation): string => {
  const query = Object.entries(fixedQuery).map(([name, value]) => `${name}=${value}`).join("&")
  return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}${query === "" ? "" : `?${query}`}`
}

/** The requests of the calls that are not an endpoint. */
const COMPOSED: Readonly<Record<string, string>> = {
  "instances.createAndWait": "`create`, then polls like `waitUntilDeployed` · `vps:create`",
  "instances.waitUntilDeployed": "`get`, or `list` for many waits · `vps:read`",
  "instances.waitUntil": "`get`, or `list` for many waits · `vps:read`",
  "instances.waitUntilIdle": "`monitoring.status`, and `list` for many waits · `vps:read`",
  "tasks.iterate": "`monitoring.tasks` for each page · `vps:read`",
  "rescue.enterAndWait": "`enter`, `power.restart` if needed, then polls like `waitUntilIdle` · `vps:write`",
  "rescue.exitAndWait": "`exit`, `power.restart` if needed, then polls like `waitUntilIdle` · `vps:write`"
}

const composed = (name: string): string => {
  const text = COMPOSED[name]
  if (text === undefined) throw new Error(`${name} is not an endpoint. Add the requests it sends to COMPOSED.`)
  return text
}

const operations = endpoints as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>

const facts = (group: Group, call: Call): string => {
  const operation = operations[group.name]?.[call.name]
  if (operation === undefined) return composed(`${group.name}.${call.name}`)
  const name = `${group.name}.${snake(call.name)}`
  const endpoint = contract.get(name === "instances.dry_run" ? "instances.create" : name)
  if (endpoint === undefined) throw new Error(`The contract has no endpoint ${name}`)
  const isDryRun = name === "instances.dry_run"
  const own = endpoint.statuses.filter((status) => !COMMON.has(status) && !(isDryRun && OF_PURCHASES.has(status)))
  const scope = endpoint.scope === null ? "no scope" : `\`${endpoint.scope}\``
  const fails = own.length === 0 ? [] : [`fails with ${own.join(", ")}`]
  return [`\`${wire(operation)}\``, scope, `_${operation.retry}_`, ...fails].join(" · ")
}

const entry = (group: Group) => (call: Call): string =>
  [`- **\`${call.name}(${call.args})\`** → \`${call.returns}\``, facts(group, call), call.doc].join("\\\n  ")

const groupText = (group: Group): string =>
  [`### ${group.name}`, "", group.doc, "", ...group.calls.map(entry(group))].join("\n")

const optionsText = (name: string): string =>
  optionsOf(name).map((one) => `- \`${one.name}\` (\`${one.type}\`): ${one.doc}`).join("\n")

type Fields = Readonly<Record<string, Field>>
interface Field {
  readonly type?: string
  readonly description?: string
  readonly anyOf?: ReadonlyArray<Field>
  readonly [bound: string]: unknown
}

const bounds = (field: Field): string => {
  const inner = field.anyOf?.find(({ type }) => type !== "null") ?? field
  const { exclusiveMinimum, maxLength, minLength, type } = inner
  const length = minLength === undefined ? "" : `, ${String(minLength)} to ${String(maxLength)} characters`
  return `${type ?? ""}${length}${exclusiveMinimum === undefined ? "" : `, above ${String(exclusiveMinimum)}`}`
}

const BODIES = ["CreateInstance", "Reinstall", "Resize", "Hostname", "Rdns", "CreateSnapshot", "MountIso"]

const bodyText = (name: string): string => {
  const schema = document.components.schemas[name] as unknown as {
    readonly properties: Fields
    readonly required?: ReadonlyArray<string>
  }
  const rows = Object.entries(schema.properties).map(([field, about]) => [
    `\`${field}\`${schema.required?.includes(field) === true ? "" : "?"}`,
    bounds(about),
    about.description ?? ""
  ])
  return [`### ${name}`, "", table(["field", "type", ""], rows)].join("\n")
}

/** The failures that the retry table lists. */
const failures = () => {
  const lost = (responseLost: boolean, staleConnection = false) =>
    new ConnectionError("", undefined, responseLost, { staleConnection })
  const status = (code: number, retryAfter?: number) =>
    apiError({ status: code, detail: "", retryAfter, headers: {}, missingScope: undefined, issues: [] })
  return [
    ["no request was sent: connection refused or timed out", lost(false)],
    ["the response was lost, or the request timed out", lost(true)],
    ["a kept-alive connection was closed before the response began", lost(true, true)],
    ["408, 500, 504 and other 5xx", status(500)],
    ["409 with `Retry-After`: busy", status(409, 1)],
    ["429, 503", status(429)],
    ["502", status(502)],
    ["every other 4xx: 400, 401, 402, 403, 404, 409, 422", status(402)]
  ] as const
}

const retryText = (): string =>
  table(
    ["after", ...KINDS.map(([kind]) => `_${kind}_`)],
    failures().map(([what, error]) => [what, ...KINDS.map(([kind]) => isRetryable(kind, error) ? "retried" : "–")])
  )

const errorsText = (path: "ApiErrors.ts" | "Errors.ts"): string =>
  table(["class and `_tag`", "when"], errorsOf(path).map(({ doc, name }) => [`\`${name}\``, doc]))

const INTRO = `# SDK reference

<!-- Generated by \`npm run sdk:page\` from the contract and the sources. A test fails while it is out of date. -->

\`\`\`ts
import { Vps } from "pulumi-vps"

const vps = new Vps() // VPS_API_KEY and VPS_BASE_URL
const [plan] = await vps.services.list()
const web = await vps.instances.createAndWait({ service_id: plan.id, hostname: "web.example.com" })
\`\`\`

Every call returns a promise of its data. Its \`.withResponse()\` returns \`{ data, response }\` with the status,
headers, \`requestId\`, \`attempts\` and \`idempotencyKey\`. \`pulumi-vps/effect\` has the same groups and calls as
Effects, with their errors in the type. There, \`vps.withResponse.instances.get(id)\` returns both.

Each call lists its request, the scope that its API key needs, its retry class, and the statuses it can fail with.
Every call can also fail with 401, 403 (missing scope), 422, 429, 500 and 503.`

const seconds = (ms: number): string => `${ms / 1000} s`

const RETRIES = `At most \`maxRetries\` times (${MAX_RETRIES}). Delays start at up to ${
  seconds(BACKOFF_BASE_MS)
}, double to at
most ${
  seconds(BACKOFF_CAP_MS)
}, and have full jitter. \`Retry-After\` is honored up to ${RETRY_AFTER_MAX_S} s; for a longer one, the call
fails. All attempts of one create send the same idempotency key, and every error carries it.`

const POLLS_PER_SECOND = POLLS_PER_TICK * 1000 / POLL_TICK_MS
const WAITS = `A wait polls immediately, again after ${seconds(POLL_FIRST_MS)}, and then at intervals that grow to
${seconds(POLL_CAP_MS)}. All waits of one client share one polling loop: at most ${POLLS_PER_SECOND} requests
per second, and a single list request when ${LIST_THRESHOLD} or more are due. A wait with its own
\`timeout\`, \`maxRetries\` or \`headers\` sends its own requests.`

const ERRORS =
  `All errors extend \`VpsError\`, which has \`method\`, \`path\`, \`attempts\`, \`requestId\` and \`idempotencyKey\`.
The errors of waits also have \`instanceId\` and \`instance\`. Use \`instanceof\` or \`_tag\` to distinguish them.

Error responses of the server, with \`status\`, \`detail\`, \`retryAfter\` and \`headers\`:`

export const page = (): string =>
  [
    INTRO,
    "## Calls",
    ...groups().map(groupText),
    "## Retry classes",
    KINDS.map(([kind, why]) => `- _${kind}_: ${why}`).join("\n"),
    retryText(),
    RETRIES,
    "## Options",
    "### ClientOptions: `new Vps(...)`",
    optionsText("ClientOptions"),
    "### CallOptions: the last argument of every call",
    optionsText("CallOptions"),
    "### CreateOptions: CallOptions, and",
    optionsText("CreateOptions"),
    "### WaitOptions: CallOptions, and",
    optionsText("WaitOptions"),
    WAITS,
    "### Queries",
    ...["TasksQuery", "TasksIteration", "MetricsQuery"].flatMap((name) => [`\`${name}\``, optionsText(name)]),
    "## Bodies",
    ...BODIES.map(bodyText),
    "## Errors",
    ERRORS,
    errorsText("ApiErrors.ts"),
    "Other errors:",
    errorsText("Errors.ts")
  ].join("\n\n") + "\n"

if (import.meta.main) writeFileSync(PAGE, page())
