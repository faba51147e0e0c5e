/** The service's log: one JSON object per line on standard error. Standard output has the ready line only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Forwarding } from "../http/connection/ClientAddress.ts"
import type { RequestObserver, RequestSummary } from "../http/middleware/RootMiddleware.ts"
import { redactUrl } from "../http/middleware/UrlRedaction.ts"

/** Receives lines without their line break: standard error, unless the service is embedded in another program. */
export class LogSink extends Context.Reference<(line: string) => void>("pulumi-vps/service/LogSink", {
  defaultValue: () => (line) => void process.stderr.write(`${line}\n`)
}) {}

/** Replaces the default logger. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(LogSink, (write) => Logger.layer([Logger.map(Logger.formatJson, write)]))
)

/** The line of a request. It never contains a body, a key or a password. */
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

/** Logs each answered request directly, because Effect's logger would cost as much as the request itself. */
export const logRequests =
  ({ clientAddress }: Forwarding, write: (line: string) => void): RequestObserver => (answered, request) => {
    const at = new Date(performance.timeOrigin + performance.now()).toISOString()
    write(requestLine(answered, clientAddress(request), at))
  }
