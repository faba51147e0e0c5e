/** Responses that a proxy compresses although no request accepts that. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { RESPONSE_MAX_BYTES } from "#sdk/client/options/Limits"
import type { ClientOptions, FetchLike } from "#sdk/client/options/Options"
import { clientOf, startServer } from "./support/server.ts"

const platform: FetchLike = (url, init) => fetch(url, init)

const RECORD = Buffer.from(JSON.stringify({ id: 7, name: "Zoë" }))
const BUILDS: ReadonlyArray<readonly [string, ClientOptions]> = [["sockets", {}], ["fetch", { fetch: platform }]]
const BODIES: ReadonlyArray<readonly [string, Buffer]> = [
  ["gzip", gzipSync(RECORD)],
  ["deflate", deflateSync(RECORD)],
  ["br", brotliCompressSync(RECORD)],
  ["zstd", zstdCompressSync(RECORD)],
  ["gzip, br", brotliCompressSync(gzipSync(RECORD))]
]

const serving = (encoding: string, body: Buffer, options: ClientOptions) =>
  Effect.gen(function*() {
    const { baseUrl } = yield* startServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding })
      response.end(body)
    })
    return yield* clientOf(baseUrl, { maxRetries: 0, ...options })
  })

describe.each(BUILDS)("a client with %s", (_, options) => {
  it.live.each(BODIES)("reads a response with the encoding %s", ([encoding, body]) =>
    Effect.gen(function*() {
      const client = yield* serving(encoding, body, options)
      assert.deepStrictEqual((yield* client.instances.get(7)).data as unknown, { id: 7, name: "Zoë" })
    }))

  it.live("refuses a response that is small until it is decompressed", () =>
    Effect.gen(function*() {
      const client = yield* serving("gzip", gzipSync(Buffer.alloc(RESPONSE_MAX_BYTES + 1, " ")), options)
      const error = yield* Effect.flip(client.instances.get(7))
      assert.include(error.message, `The response is larger than ${RESPONSE_MAX_BYTES} bytes`)
    }))
})

it.live("an encoding that is not known, or a damaged body, is an error that names the encoding", () =>
  Effect.gen(function*() {
    for (const [encoding, body] of [["rot13", RECORD], ["gzip", RECORD]] as const) {
      const client = yield* serving(encoding, body, {})
      const error = yield* Effect.flip(client.power.stop(7))
      assert.strictEqual(error._tag, "DecodeError")
      assert.include(error.message, `The response has the content encoding ${encoding}, which this client cannot read`)
    }
  }))
