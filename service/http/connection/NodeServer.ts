/**
 * The Node server below the router: connection timeouts, and responses to bytes that are not an HTTP request. Node
 * parses strictly (no `insecureHTTPParser`), which `test/security/smuggling.test.ts` verifies.
 */
import { createServer, type Server } from "node:http"
import type { Duplex } from "node:stream"
import type { LimitValues } from "../../config/Limits.ts"
import type { Drop } from "./DropObserver.ts"
import { type Exchange, queueRequests } from "./RequestQueues.ts"

/** Node checks for timed-out connections this often per timeout: up to a quarter too late is accurate enough. */
const CHECKS_PER_TIMEOUT = 4

type ParseError = readonly [status: string, detail: string]

const parseErrors = ({ HEADER_BYTES_MAX }: LimitValues): Readonly<Record<string, ParseError>> => ({
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `The URL and headers are larger than ${HEADER_BYTES_MAX} bytes.`
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The chunk extensions are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "Timed out waiting for the request."]
})

const MALFORMED: ParseError = ["400 Bad Request", "Malformed HTTP request."]

/** A response where there is no request object to respond to. */
const raw = ([status, detail]: ParseError, more = ""): string => {
  const body = JSON.stringify({ detail })
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    + `cache-control: no-store\r\nx-content-type-options: nosniff\r\n${more}connection: close\r\n\r\n${body}`
}

/** Sends a final response, then closes the connection, ignoring further input. */
const endWith = (socket: Duplex, response: string, graceMillis: number): void => {
  socket.on("error", () => undefined)
  socket.end(response)
  setTimeout(() => socket.destroy(), graceMillis).unref()
}

/** The previous request arrived completely and gets its response; then the connection ends, ignoring the rest. */
const endAfter = ({ response }: Exchange, socket: Duplex, graceMillis: number): void => {
  socket.on("error", () => undefined)
  // Further input is ignored, and must not count as activity.
  socket.pause()
  response.once("finish", () => endWith(socket, "", graceMillis))
}

const onClientError = (newest: (socket: Duplex) => Exchange | undefined, limits: LimitValues) => {
  const rejected = new WeakSet<Duplex>()
  const errors = parseErrors(limits)
  return (error: Error, socket: Duplex): void => {
    // The parser reports every further packet of a stream on which it has failed.
    if (rejected.has(socket)) return
    rejected.add(socket)
    const exchange = newest(socket)
    const open = exchange !== undefined && !exchange.response.writableFinished ? exchange : undefined
    if (open?.request.complete === true) return endAfter(open, socket, limits.CLOSE_GRACE_MILLIS)
    // Part of a response is already sent, or the client is gone.
    if (open?.response.headersSent === true || !socket.writable) return void socket.destroy()
    const code = "code" in error ? String(error.code) : ""
    endWith(socket, raw(errors[code] ?? MALFORMED), limits.CLOSE_GRACE_MILLIS)
  }
}

const NO_TUNNEL: ParseError = ["405 Method Not Allowed", "CONNECT is not allowed. This server is not a proxy."]

/** The one path with another protocol: a WebSocket with the console of an instance. */
const UPGRADED_PREFIX = "/panel/api/console?"

const configure = (limits: LimitValues): Server => {
  // Node does not allow more time for the headers than for the whole request.
  const headersTimeout = Math.min(limits.HEADERS_MILLIS, limits.REQUEST_MILLIS)
  const server = createServer({
    maxHeaderSize: limits.HEADER_BYTES_MAX,
    headersTimeout,
    requestTimeout: limits.REQUEST_MILLIS,
    keepAliveTimeout: limits.KEEP_ALIVE_MILLIS,
    connectionsCheckingInterval: Math.ceil(headersTimeout / CHECKS_PER_TIMEOUT),
    // HeaderChecks.ts rejects that with an explanation.
    requireHostHeader: false,
    // Other upgrade requests are ignored, as RFC 9110 §7.8 allows.
    shouldUpgradeCallback: ({ headers, method, url = "" }) =>
      method === "GET" && url.startsWith(UPGRADED_PREFIX) && headers.upgrade?.toLowerCase() === "websocket"
  })
  // Bounded by bytes above and by count in HeaderChecks.ts: Node would silently drop the rest.
  server.maxHeadersCount = 0
  server.timeout = limits.SILENCE_MILLIS
  return server
}

/** Creates the server, not yet listening. */
export const makeServer = (limits: LimitValues, drop: Drop): Server => {
  const { CLOSE_GRACE_MILLIS, SILENCE_MILLIS } = limits
  const server = configure(limits)
  const queues = queueRequests(server, limits, drop)
  server.on("clientError", onClientError((socket) => queues.get(socket)?.newest, limits))
  server.on(
    "connect",
    (_, socket) => endWith(socket, raw(NO_TUNNEL, "allow: GET, POST, PATCH, DELETE\r\n"), CLOSE_GRACE_MILLIS)
  )
  server.on("checkExpectation", (_, response) => {
    response.writeHead(417, { "content-type": "application/json", connection: "close" })
    response.end(JSON.stringify({ detail: "Unsupported expectation. Only 100-continue is supported." }))
  })
  server.on("timeout", (socket) => {
    const response = queues.get(socket)?.current?.response
    // A connection without a request has other limits, and a client that waits for us may be silent. A client that
    // does not read its response is neither.
    const isIdleAllowed = response === undefined || !response.headersSent
    if (isIdleAllowed && socket.writableLength === 0) socket.setTimeout(SILENCE_MILLIS)
    else socket.destroy()
  })
  return server
}
