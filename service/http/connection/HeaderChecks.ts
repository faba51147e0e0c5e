/** Rejects requests for their headers alone, before reading anything that a proxy may interpret differently. */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { IncomingMessage } from "node:http"
import type { LimitValues } from "../../config/Limits.ts"
import { errorResponse } from "../Errors.ts"

/** Headers of which Node uses the first value and other parsers the last: duplicates are ambiguous (RFC 9112 §3.2). */
const SINGLE_HEADERS = ["host", "authorization", "content-type"]
const LENGTHS = new Set(SINGLE_HEADERS.map((name) => name.length))

/** The first of those headers that is sent twice. Cheap, because it runs on every request. */
const duplicate = (raw: ReadonlyArray<string>): string | undefined => {
  let found = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!
    if (!LENGTHS.has(name.length)) continue
    const index = SINGLE_HEADERS.indexOf(name.toLowerCase())
    if (index === -1) continue
    if ((found & (1 << index)) !== 0) return SINGLE_HEADERS[index]
    found |= 1 << index
  }
  return undefined
}

type Head = Pick<IncomingMessage, "headers" | "httpVersion">

const CLOSE = { connection: "close" }

/** The rejection of a message with invalid framing or without a host. */
const malformed = ({ headers, httpVersion }: Head): HttpServerResponse | undefined => {
  // The parser also accepts 0.9 and 2.0, which have other rules for where a message ends.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return errorResponse(505, "This server supports HTTP/1.1 only.", CLOSE)
  }
  if (headers.host === undefined && httpVersion === "1.1") {
    return errorResponse(400, "Missing Host header.", CLOSE)
  }
  const coding = headers["transfer-encoding"]
  if (coding === undefined || coding.toLowerCase() === "chunked") return undefined
  return errorResponse(501, "Unsupported transfer coding. Use chunked.", CLOSE)
}

/** The rejection of a request that is too long, has too many headers, or contradicts itself. */
export const makeHeaderChecks =
  ({ HEADERS_MAX, URL_BYTES_MAX }: LimitValues) => (message: IncomingMessage): HttpServerResponse | undefined => {
    const { rawHeaders, url = "" } = message
    if (url.length > URL_BYTES_MAX) return errorResponse(414, `The URL is longer than ${URL_BYTES_MAX} bytes.`, CLOSE)
    if (rawHeaders.length > 2 * HEADERS_MAX) {
      return errorResponse(431, `The request has more than ${HEADERS_MAX} headers.`, CLOSE)
    }
    const name = duplicate(rawHeaders)
    return name === undefined
      ? malformed(message)
      : errorResponse(400, `Duplicate ${name} header. Send it once.`, CLOSE)
  }

/** True if it requests a protocol upgrade. That is ignored, but Node loses the rest of the same packet. */
export const requestsUpgrade = (request: HttpServerRequest): boolean => request.headers["upgrade"] !== undefined
