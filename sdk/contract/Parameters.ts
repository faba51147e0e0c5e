/**
 * What the schemas cannot say of parameters and answers in the OpenAPI document: a path or query carries text, so its
 * integers and booleans would be described as strings; and answers are described without their headers.
 */
import type * as OpenApi from "effect/http-api/OpenApi"
import { METRICS_RANGE_DEFAULT, METRICS_RANGES, TASKS_LIMIT_DEFAULT, TASKS_LIMIT_MAX } from "./Monitoring.ts"

type Document = ReturnType<typeof OpenApi.fromApi>
type Operation = NonNullable<Document["paths"][string]["get"]>
type Header = { readonly description: string; readonly schema: { readonly type: string } }

const SCHEMAS: Readonly<Record<string, object>> = {
  limit: { type: "integer", minimum: 1, maximum: TASKS_LIMIT_MAX, default: TASKS_LIMIT_DEFAULT },
  offset: { type: "integer", minimum: 0, default: 0 },
  range: { type: "string", enum: METRICS_RANGES, default: METRICS_RANGE_DEFAULT },
  dry_run: {
    anyOf: [{ type: "boolean" }, {
      type: "string",
      pattern: "^(?:1|0|[yY]|[nN]|[tT]|[fF]|[yY][eE][sS]|[nN][oO]|[oO][nN]|[oO][fF]{2})$"
    }],
    default: false,
    description: "true, 1, yes, on, t, y and their opposites, in any case"
  }
}

const ID = { type: "integer", examples: [42], description: "One that names nothing is answered with 404" }

const KEY_EXAMPLE = "order-2026-11-21-web-1"

/** Every request may bring an id of its own. */
const REQUEST_ID = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  example: "6f1d2c1e-8f0a-4b57-9d0c-2c3f7c1f5a10",
  description: "An id for this request, for logs and the activity feed; one that is malformed or absent is made",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" }
}

const header = (description: string, type = "string"): Header => ({ description, schema: { type } })

/** Headers of every answer. */
const COMMON: Readonly<Record<string, Header>> = {
  "X-Request-Id": header("The request's id: the client's, or one made by the service")
}

/** Headers of every answer that is given once it is known who asks; absent when the service has its limits off. */
const RATES: Readonly<Record<string, Header>> = {
  "RateLimit": header("For each policy that applies: `r` requests left now, all of them again in `t` seconds"),
  "RateLimit-Policy": header("The policies that apply: `q` requests in `w` seconds")
}

/** A body that is too large, and a defect, are met where nobody looks at rates any more. */
const WITHOUT_RATES = new Set(["413", "500"])

const BY_STATUS: Readonly<Record<string, Readonly<Record<string, Header>>>> = {
  "201": {
    "Location": header("Path of the instance"),
    "Idempotent-Replayed": header("true: the key had bought this instance before; nothing was charged"),
    "Idempotent-Mismatch": header("Fields in which a replayed request differs from the original's")
  },
  "401": { "WWW-Authenticate": header("Bearer challenge, RFC 6750") },
  "403": { "WWW-Authenticate": header("Bearer challenge that names the missing scope, RFC 6750") },
  "409": { "Retry-After": header("Seconds; sent only when the server is busy with another task", "integer") },
  "429": { "Retry-After": header("Seconds", "integer") },
  "503": { "Retry-After": header("Seconds; sent when the database cannot be used now", "integer") }
}

const describeOperation = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...operation.parameters.map((parameter) => ({
      ...parameter,
      ...(parameter.in === "path" ? { schema: ID } : {}),
      ...(parameter.name in SCHEMAS ? { schema: SCHEMAS[parameter.name]! } : {}),
      ...(parameter.name === "idempotency-key" ? { name: "Idempotency-Key", example: KEY_EXAMPLE } : {})
    })),
    REQUEST_ID
  ],
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...COMMON, ...(WITHOUT_RATES.has(status) ? {} : RATES), ...BY_STATUS[status] } }
    ])
  )
} as Operation)

/** The document with every parameter's real type, bounds and default, and the headers of every answer. */
export const describeParameters = (document: Document): Document => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, describeOperation(operation as Operation)])
      )
    ])
  )
})
