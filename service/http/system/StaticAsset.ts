/** A text that never changes while the service runs: compressed once, and sent unless the client has it cached. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

export interface Asset {
  /** A hash of the content; without quotes. */
  readonly version: string
  readonly respond: (request: HttpServerRequest.HttpServerRequest) => HttpServerResponse.HttpServerResponse
}

interface AssetOptions {
  readonly contentType: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
}

const compress = promisify(gzip)

const NOT_MODIFIED = 304
/** Characters of a version, enough to avoid collisions. */
const VERSION_LENGTH = 22

/** True if the client takes a content coding. */
export const accepts = (header: string | undefined, coding: string): boolean =>
  header?.split(",").some((one) => {
    const [name, ...parameters] = one.split(";").map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  }) === true

/** True if the client has the content with this tag. */
export const hasTag = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((one) => one.trim().replace(/^W\//, "") === tag || one.trim() === "*") === true

/** Prepares a text for sending. */
export const make = (text: string, { cacheControl, contentType, headers: extra }: AssetOptions): Effect.Effect<Asset> =>
  Effect.promise(async () => {
    const plain = Buffer.from(text)
    const packed = await compress(plain)
    const version = createHash("sha256").update(plain).digest("base64url").slice(0, VERSION_LENGTH)
    const tag = `"${version}"`
    const headers = { "cache-control": cacheControl, etag: tag, vary: "accept-encoding", ...extra }
    const unchanged = HttpServerResponse.empty({ status: NOT_MODIFIED, headers })
    const whole = HttpServerResponse.uint8Array(plain, { contentType, headers })
    const small = HttpServerResponse.uint8Array(packed, {
      contentType,
      headers: { ...headers, "content-encoding": "gzip" }
    })
    return {
      version,
      respond: (request) => {
        if (hasTag(request.headers["if-none-match"], tag)) return unchanged
        return accepts(request.headers["accept-encoding"], "gzip") ? small : whole
      }
    }
  })
