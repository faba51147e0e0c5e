/** The annotations of endpoints, which the client, the panel and the service share. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import { assert, describe, it } from "vitest"
import { Api } from "#contract/Api"
import { RequiredSignIn, Retry } from "#contract/Operation"
import { operations } from "../support/operations.ts"

const ENDPOINTS: Array<
  { readonly id: string; readonly method: string; readonly retry: string; readonly signIn: string }
> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    ENDPOINTS.push({
      id: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      retry: Context.get(mergedAnnotations, Retry),
      signIn: Context.get(mergedAnnotations, RequiredSignIn)
    })
  }
})

describe("an endpoint", () => {
  it.each(ENDPOINTS)("$id is repeated by the client as the contract says", ({ id, retry }) => {
    assert.strictEqual((operations as Readonly<Record<string, { readonly retry: string }>>)[id]?.retry, retry)
  })
  it.each(ENDPOINTS)("$id is a read if, and only if, it is a GET", ({ method, retry }) => {
    assert.strictEqual(retry === "read", method === "GET")
  })
  const reads = ENDPOINTS.filter(({ retry }) => retry === "read")
  it.each(reads)("$id requires no fresh sign-in to read", ({ signIn }) => {
    assert.strictEqual(signIn, "any")
  })
})
