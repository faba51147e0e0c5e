/** Unsupported endpoint definitions: a body that cannot be decoded must not be ignored silently. */
import { assert, describe, it } from "vitest"
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { makeRequestDecoder } from "#service/http/decoding/RequestDecoder"

const TEXT = Schema.String.pipe(HttpApiSchema.asText())
const NAME = Schema.Struct({ name: Schema.String })
const SIZE = Schema.Struct({ size: Schema.Number })

const read = (endpoint: Parameters<typeof makeRequestDecoder>[0]) => () => makeRequestDecoder(endpoint, Context.empty())

describe("an endpoint", () => {
  it.each([
    ["text", HttpApiEndpoint.post("write", "/x", { payload: TEXT })],
    ["JSON of two schemas", HttpApiEndpoint.post("write", "/x", { payload: [NAME, SIZE] })],
    ["JSON, or text", HttpApiEndpoint.post("write", "/x", { payload: [NAME, TEXT] })]
  ])("whose body is %s is refused when the service starts", (_, endpoint) => {
    assert.throws(read(endpoint), "write: unsupported body. Only JSON with a single schema can be decoded.")
  })

  it("whose body is JSON of one schema is read, and one without a body has none read", () => {
    assert.isDefined(read(HttpApiEndpoint.post("write", "/x", { payload: NAME }))().body)
    assert.isUndefined(read(HttpApiEndpoint.get("look", "/x"))().body)
  })
})
