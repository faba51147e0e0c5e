/**
 * The Node server below the router: how long connections may take, and what is answered to bytes that are no request.
 * Node parses strictly (no `insecureHTTPParser`); the tests in `test/security/smuggling.test.ts` hold it to that.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { LimitValues } from "../../config/Limits.ts"

/** How often Node looks for connections that have taken too long: a quarter more than was said is near enough. */
const CHECKS_PER_TIMEOUT = 4

const brokenBy = (
  { HEADER_BYTES_MAX }: LimitValues
): Readonly<Record<string, readonly [status: string, detail: string]>> => ({
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `The URL and the headers are larger than ${HEADER_BYTES_MAX} bytes.`
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The extensions of the body's chunks are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request took too long to arrive."]
})

const NO_REQUEST = ["400 Bad Request", "This is no HTTP request."] as const

/** An answer where there is no request to hang it on. */
const raw = ([status, detail]: readonly [status: string, detail: string], more = ""): string => {
  const body = JSON.stringify({ detail })
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    + `cache-control: no-store\r\nx-content-type-options: nosniff\r\n${more}connection: close\r\n\r\n${body}`
}

/** A last word; then the connection is gone, whatever the client still sends. */
const endWith = (socket: Duplex, answer: string, graceMillis: number): void => {
  socket.on("error", () => undefined)
  socket.end(answer)
  setTimeout(() => socket.destroy(), graceMillis).unref()
}

/** The newest request of a connection, with its answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What was asked before was heard whole and is answered; only then the connection ends, without a word on the rest. */
const endAfter = ({ response }: Exchange, socket: Duplex, graceMillis: number): void => {
  socket.on("error", () => undefined)
  // Nothing that still comes is of interest, and it must not count as a sign of life.
  socket.pause()
  response.once("finish", () => endWith(socket, "", graceMillis))
}

const onBroken = (newest: WeakMap<Duplex, Exchange>, limits: LimitValues) => {
  const given = new WeakSet<Duplex>()
  const broken = brokenBy(limits)
  return (error: Error, socket: Duplex): void => {
    // The parser tells of every further packet of a stream that it has given up.
    if (given.has(socket)) return
    given.add(socket)
    const exchange = newest.get(socket)
    const open = exchange !== undefined && !exchange.response.writableFinished ? exchange : undefined
    if (open?.request.complete === true) return endAfter(open, socket, limits.CLOSE_GRACE_MILLIS)
    // Half an answer is on its way, or nobody is there to read one.
    if (open?.response.headersSent === true || !socket.writable) return void socket.destroy()
    const code = "code" in error ? String(error.code) : ""
    endWith(socket, raw(broken[code] ?? NO_REQUEST), limits.CLOSE_GRACE_MILLIS)
  }
}

const NO_TUNNEL = ["405 Method Not Allowed", "CONNECT is not allowed: this is no proxy."] as const

/** A server that does not listen yet. */
export const makeServer = (limits: LimitValues): Server => {
  const { CLOSE_GRACE_MILLIS, REQUEST_MILLIS, SILENCE_MILLIS } = limits
  const newest = new WeakMap<Duplex, Exchange>()
  // Node refuses to give the head of a request more time than the whole.
  const headersTimeout = Math.min(limits.HEADERS_MILLIS, REQUEST_MILLIS)
  const server = createServer({
    maxHeaderSize: limits.HEADER_BYTES_MAX,
    headersTimeout,
    requestTimeout: REQUEST_MILLIS,
    keepAliveTimeout: limits.KEEP_ALIVE_MILLIS,
    connectionsCheckingInterval: Math.ceil(headersTimeout / CHECKS_PER_TIMEOUT),
    // Head.ts says so in words.
    requireHostHeader: false,
    // Nothing here speaks another protocol, so the wish for one is passed over, as RFC 9110 §7.8 has it.
    shouldUpgradeCallback: () => false
  })
  // Bounded by bytes above and by count in Head.ts: Node would drop the rest in silence.
  server.maxHeadersCount = 0
  server.maxConnections = limits.CONNECTIONS_MAX
  server.timeout = SILENCE_MILLIS
  server.on("request", (request, response) => newest.set(request.socket, { request, response }))
  server.on("clientError", onBroken(newest, limits))
  server.on(
    "connect",
    (_, socket) => endWith(socket, raw(NO_TUNNEL, "allow: GET, POST, PATCH, DELETE\r\n"), CLOSE_GRACE_MILLIS)
  )
  server.on("checkExpectation", (_, response) => {
    response.writeHead(417, { "content-type": "application/json", connection: "close" })
    response.end(JSON.stringify({ detail: "The only expectation that is met here is 100-continue." }))
  })
  server.on("timeout", (socket) => {
    const response = newest.get(socket)?.response
    // Who has not sent a request yet has other limits; who waits for us may be silent. An unread answer is neither.
    const isOurTurn = response === undefined || !response.headersSent
    if (isOurTurn && socket.writableLength === 0) socket.setTimeout(SILENCE_MILLIS)
    else socket.destroy()
  })
  return server
}
