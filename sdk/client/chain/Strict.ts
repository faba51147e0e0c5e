/**
 * Checks responses against the contract. Loaded only by the first response of a client with `decode: "strict"`:
 * schemas take longer to load than the rest of the client.
 */
import { Api, API_PREFIX } from "@pulumi-vps/contract/Api"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Operation } from "./Request.ts"

/** A difference between a response and the contract, without the value, which may be a password. */
export interface Mismatch {
  /** For example `[0].order.service.price`; empty for the whole response. */
  readonly field: string
  readonly problem: string
}

export type Inspect = (operation: Operation, status: number, data: unknown) => Mismatch | undefined

/** Unknown fields are allowed: a newer server may have them. */
export const makeInspect = (): Inspect => {
  const schemas = successes()
  return ({ method, path }, status, data) => {
    const schema = schemas.get(`${status} ${method} ${path}`)
    if (schema === undefined) return { field: "", problem: `the contract has no response ${status}` }
    const result = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(data)
    return result._tag === "Success" ? undefined : mismatchOf(result.failure.issue)
  }
}

const successes = (): ReadonlyMap<string, Schema.Top> => {
  const found = new Map<string, Schema.Top>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const path = endpoint.path.slice(API_PREFIX.length) || "/"
      for (const [status, schemas] of successes) {
        found.set(`${status} ${endpoint.method} ${path}`, Schema.Union(schemas))
      }
    }
  })
  return found
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const mismatchOf = (issue: SchemaIssue.Issue): Mismatch => {
  const [first] = format(issue).issues
  const keys = (first?.path ?? []).map((step) => typeof step === "object" ? step.key : step)
  const field = keys.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("")
  return { field: field.replace(/^\./, ""), problem: first?.message ?? "invalid" }
}
