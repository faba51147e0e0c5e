/** The client's operations match the contract, endpoint by endpoint. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as Schema from "effect/Schema"
import { Api, API_PREFIX } from "#contract/Api"
import { IDEMPOTENCY_KEY_MAX as CONTRACT_KEY_MAX } from "#contract/Idempotency"
import { IDEMPOTENCY_KEY_MAX } from "#sdk/client/options/Limits"
import { operations } from "../support/operations.ts"

interface Shape {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: boolean
  readonly key: boolean
  readonly list: boolean
}

const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema?.ast._tag === "Objects" ? schema.ast.propertySignatures.map(({ name }) => String(name)) : []

const returnsArray = (successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>): boolean =>
  [...successes.values()].flat().some((schema) => schema.ast._tag === "Arrays")

const contract = (() => {
  const shapes: Record<string, Shape> = {}
  const shapeOf = (endpoint: HttpApiEndpoint.Top, list: boolean): Shape => ({
    method: endpoint.method,
    path: endpoint.path.slice(API_PREFIX.length) || "/",
    query: fieldsOf(endpoint.query),
    body: endpoint.payload.size > 0,
    key: fieldsOf(endpoint.headers).includes("idempotency-key"),
    list
  })
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      shapes[`${group.identifier}.${endpoint.identifier}`] = shapeOf(endpoint, returnsArray(successes))
    }
  })
  return shapes
})()

const entries = Object.entries(operations)
/** A dry run is the contract's create, sent with a query parameter of its own. */
const contractName = (name: string): string => name === "instances.dry_run" ? "instances.create" : name

describe("the operations", () => {
  it("are the endpoints of the contract", () => {
    assert.isNotEmpty(contract)
    assert.sameMembers([...new Set(Object.keys(operations).map(contractName))], Object.keys(contract))
  })

  it.each(entries)("%s has the method, path, query, body and response of the contract", (name, operation) => {
    const shape = contract[contractName(name)]
    const query = [...Object.keys(operation.fixedQuery ?? {}), ...(operation.query ?? [])]
    assert.deepStrictEqual(
      { method: operation.method, path: operation.path, body: operation.body === true, list: operation.list === true },
      { method: shape?.method, path: shape?.path, body: shape?.body, list: shape?.list }
    )
    assert.deepStrictEqual(query, name === "instances.create" ? [] : shape?.query)
  })

  it("are purchases if they take an idempotency key", () => {
    const purchases = entries.filter(([, operation]) => operation.retry === "purchase").map(([name]) => name)
    assert.deepStrictEqual(purchases, Object.keys(contract).filter((name) => contract[name]?.key))
  })

  it("are reads if they are a GET or the dry run", () => {
    const reads = entries.filter(([, { retry }]) => retry === "read")
    assert.deepStrictEqual(reads.filter(([, { method }]) => method !== "GET").map(([name]) => name), [
      "instances.dry_run"
    ])
    assert.isTrue(entries.every(([, { method, retry }]) => method !== "GET" || retry === "read"))
  })

  it("are not retried after a 502 if they create or restore something each time", () => {
    assert.deepStrictEqual(entries.filter(([, { retry }]) => retry === "once").map(([name]) => name), [
      "instances.reinstall",
      "instances.reset_password",
      "snapshots.create",
      "snapshots.restore",
      "backups.restore"
    ])
  })

  it("limit an idempotency key like the contract", () => {
    assert.strictEqual(IDEMPOTENCY_KEY_MAX, CONTRACT_KEY_MAX)
  })
})
