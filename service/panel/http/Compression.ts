/**
 * Compresses JSON that a page reads. Only reads: a secret is only in the response to the change that made it, and the
 * size of a compressed response would reveal a secret that is in it (BREACH).
 */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { accepts } from "../../http/system/StaticAsset.ts"

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Shorter responses fit into two packets as they are. */
const SIZE_MIN = 2_048

/** Compresses as much as gzip does, in less time; the default takes 50 times as long. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

type Coding = "br" | "gzip"

/** Undefined also for another site's request, which could have the size of the response measured. */
const codingFor = ({ headers }: HttpServerRequest): Coding | undefined =>
  headers["sec-fetch-site"] === "same-origin"
    ? (["br", "gzip"] as const).find((coding) => accepts(headers["accept-encoding"], coding))
    : undefined

const encode = (coding: Coding, body: Uint8Array) =>
  Effect.promise(() => coding === "br" ? brotli(body, QUALITY) : zip(body))

/** The response to a read, compressed if the browser takes it. */
export const compressed = Effect.fnUntraced(
  function*(request: HttpServerRequest, response: HttpServerResponse.HttpServerResponse) {
    const { body } = response
    if (body._tag !== "Uint8Array" || body.body.length < SIZE_MIN) return response
    if (!body.contentType.startsWith("application/json")) return response
    const coding = codingFor(request)
    const vary = HttpServerResponse.setHeader(response, "vary", "accept-encoding")
    if (coding === undefined) return vary
    const packed = HttpServerResponse.setBody(
      vary,
      HttpBody.uint8Array(yield* encode(coding, body.body), body.contentType)
    )
    return HttpServerResponse.setHeader(packed, "content-encoding", coding)
  }
)
