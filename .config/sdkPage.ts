/**
 * `npm run sdk:page`: generates docs/sdk-reference.md, and in docs/sdk a page for each group of calls and one for the
 * types, from the contract and the sources of the client.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
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
import type { RetryKind } from "#sdk/client/chain/Request"
import { isRetryable } from "#sdk/client/chain/Retry"
import { table } from "./markdownTable.ts"
import { commonErrors } from "./sdkCalls.ts"
import { GENERATED, groupPage, typesPage } from "./sdkGroupPages.ts"
import { errorsOf, groups, optionsOf } from "./sdkSource.ts"

export const DOCS = fileURLToPath(new URL("../docs/", import.meta.url))

const KINDS: ReadonlyArray<readonly [RetryKind, string]> = [
  ["read", "changes nothing"],
  ["purchase", "costs money, and sends one idempotency key with every attempt"],
  ["mutation", "changes something"],
  ["idempotent", "changes something, and changes nothing more when repeated"],
  ["once", "must not be executed twice"]
]

const optionsText = (name: string): string =>
  optionsOf(name).map((one) => `- \`${one.name}\` (\`${one.type}\`): ${one.doc}`).join("\n")

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

/** The headings of options, and their interfaces. */
const OPTIONS = [
  ["### ClientOptions: `new Vps(...)`", "ClientOptions"],
  ["### CallOptions: the last argument of every call", "CallOptions"],
  ["### ChargeOptions: CallOptions, and", "ChargeOptions"],
  ["### CreateOptions: ChargeOptions, and", "CreateOptions"],
  ["### WaitOptions: CallOptions, and", "WaitOptions"],
  ["### BulkOptions: the last argument of `bulk.each`", "BulkOptions"],
  ["### BulkCreateOptions: BulkOptions, WaitOptions, and", "BulkCreateOptions"],
  ["### TasksQuery", "TasksQuery"],
  ["### TasksIteration", "TasksIteration"],
  ["### MetricsQuery", "MetricsQuery"]
] as const

const errorsText = (path: "ApiErrors.ts" | "Errors.ts"): string =>
  table(["class and `_tag`", "when"], errorsOf(path).map(({ doc, name }) => [`\`${name}\``, doc]))

const INTRO = `# SDK reference

${GENERATED}

Every call returns a promise of its data. Its \`.withResponse()\` returns \`{ data, response }\` with the status,
headers, \`requestId\`, \`attempts\` and \`idempotencyKey\`. \`pulumi-vps/effect\` has the same groups and calls as
Effects, with their errors in the type. There, \`vps.withResponse.instances.get(id)\` returns both.

Lists are new arrays that belong to the caller: sort them in place, or change them. [Types](sdk/types.md) has the fields
of all records.`

const callsText = (): string =>
  groups().map(({ calls, doc, name }) => {
    const links = calls.map((call) => `[\`${call.name}\`](sdk/${name}.md#${call.name.toLowerCase()})`)
    return `- [**${name}**](sdk/${name}.md): ${doc}\\\n  ${links.join(", ")}`
  }).join("\n")

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

Every call can fail with ${commonErrors()}, and with the other errors below, except those of waits.

Error responses of the server, with \`status\`, \`detail\`, \`retryAfter\` and \`headers\`:`

const index = (): string =>
  [
    INTRO,
    "## Calls",
    callsText(),
    "## Retry classes",
    KINDS.map(([kind, why]) => `- _${kind}_: ${why}`).join("\n"),
    retryText(),
    RETRIES,
    "## Options",
    ...OPTIONS.flatMap(([title, name]) => [title, optionsText(name)]),
    WAITS,
    "## Errors",
    ERRORS,
    errorsText("ApiErrors.ts"),
    "Other errors:",
    errorsText("Errors.ts")
  ].join("\n\n") + "\n"

/** All pages, by their path in `docs`. */
export const pages = (): ReadonlyMap<string, string> =>
  new Map([
    ["sdk-reference.md", index()],
    ...groups().map((group) => [`sdk/${group.name}.md`, groupPage(group)] as const),
    ["sdk/types.md", typesPage()]
  ])

if (import.meta.main) {
  for (const path of globSync(`${DOCS}sdk/*.md`)) rmSync(path)
  for (const [path, text] of pages()) {
    mkdirSync(dirname(DOCS + path), { recursive: true })
    writeFileSync(DOCS + path, text)
  }
}
