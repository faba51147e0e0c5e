/** The service's log: one JSON object per line on standard error; standard output holds the ready line only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Forwarding } from "../http/connection/ClientAddress.ts"
import type { RequestObserver, RequestSummary } from "../http/middleware/RootMiddleware.ts"
import { redactUrl } from "../http/middleware/UrlRedaction.ts"

/** Where lines go, without their end: to standard error, which in another's process is not ours to write to. */
export class LogSink extends Context.Reference<(line: string) => void>("pulumi-vps/service/LogSink", {
  defaultValue: () => (line) => void process.stderr.write(`${line}\n`)
}) {}

/** Replaces the default logger. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(LogSink, (write) => Logger.layer([Logger.map(Logger.formatJson, write)]))
)

/** The line of one request; never a body, a key or a password. */
const requestLine = (answered: RequestSummary, client: string, at: string): string =>
  JSON.stringify({
    timestamp: at,
    level: "INFO",
    message: "request",
    request_id: answered.requestId,
    client,
    method: answered.method,
    url: redactUrl(answered.url),
    status: answered.status,
    ms: Math.round(answered.millis * 1000) / 1000,
    ...(answered.replayed ? { replayed: true } : {})
  })

/** Logs each answered request. Written directly: the logger of Effect would cost as much as the request itself. */
export const logRequests =
  ({ clientAddress }: Forwarding, write: (line: string) => void): RequestObserver => (answered, request) => {
    const at = new Date(performance.timeOrigin + performance.now()).toISOString()
    write(requestLine(answered, clientAddress(request), at))
  }
