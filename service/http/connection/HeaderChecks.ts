/** What is refused for its head alone, before anything is read of it that a proxy might have read otherwise. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { IncomingMessage } from "node:http"
import type { LimitValues } from "../../config/Limits.ts"
import { errorResponse } from "../Errors.ts"

/** Headers of which Node keeps the first and others the last: two of them mean two things (RFC 9112 §3.2). */
const ONCE = ["host", "authorization", "content-type"]
const LENGTHS = new Set(ONCE.map((name) => name.length))

/** The first of those headers that stands there twice; cheap, as it runs on every request. */
const repeated = (raw: ReadonlyArray<string>): string | undefined => {
  let seen = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!
    if (!LENGTHS.has(name.length)) continue
    const index = ONCE.indexOf(name.toLowerCase())
    if (index === -1) continue
    if ((seen & (1 << index)) !== 0) return ONCE[index]
    seen |= 1 << index
  }
  return undefined
}

type Head = Pick<IncomingMessage, "headers" | "httpVersion">

const CLOSE = { connection: "close" }

/** What is wrong with how the message is framed and addressed. */
const malformed = ({ headers, httpVersion }: Head): HttpServerResponse | undefined => {
  // The parser also takes 0.9 and 2.0, which have other rules for where a message ends.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return errorResponse(505, "This server speaks HTTP/1.1.", CLOSE)
  if (headers.host === undefined && httpVersion === "1.1") {
    return errorResponse(400, "The header host is missing.", CLOSE)
  }
  const coding = headers["transfer-encoding"]
  if (coding === undefined || coding.toLowerCase() === "chunked") return undefined
  return errorResponse(501, "The only transfer coding here is chunked.", CLOSE)
}

/** The refusal of a request that is too long, has too many headers, or says two things at once. */
export const rejectionBy =
  ({ HEADERS_MAX, URL_BYTES_MAX }: LimitValues) => (request: HttpServerRequest): HttpServerResponse | undefined => {
    const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const { rawHeaders, url = "" } = message
    if (url.length > URL_BYTES_MAX) return errorResponse(414, `The URL is longer than ${URL_BYTES_MAX} bytes.`, CLOSE)
    if (rawHeaders.length > 2 * HEADERS_MAX) {
      return errorResponse(431, `There are more than ${HEADERS_MAX} headers.`, CLOSE)
    }
    const name = repeated(rawHeaders)
    return name === undefined
      ? malformed(message)
      : errorResponse(400, `The header ${name} may be sent only once.`, CLOSE)
  }

/** Whether it wishes for another protocol. The wish is passed over, but Node loses what follows in the same packet. */
export const requestsUpgrade = (request: HttpServerRequest): boolean => request.headers["upgrade"] !== undefined
