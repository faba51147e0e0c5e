/** The service's log: one JSON object per line on standard error. Standard output has the ready line only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Forwarding } from "../http/connection/ClientAddress.ts"
import { DROP_REASONS, type DropReason, type ObserveDrop } from "../http/connection/DropObserver.ts"
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

/** The time of a log line. */
export const logTime = (): string => new Date(performance.timeOrigin + performance.now()).toISOString()

/** The first drop for a reason is logged at once, and the number of further ones once per interval. */
export const logDrops = (intervalMillis: number, write: (line: string) => void): ObserveDrop => {
  const pending = new Map<DropReason, { count: number; client: string }>()
  const log = (reason: DropReason, count: number, client: string): void =>
    write(JSON.stringify({
      timestamp: logTime(),
      level: "WARN",
      message: `Closed or refused connections: ${DROP_REASONS[reason]}`,
      reason,
      count,
      last_client: client
    }))
  const flush = (reason: DropReason): void => {
    const { client, count } = pending.get(reason)!
    pending.delete(reason)
    if (count === 0) return
    log(reason, count, client)
    hold(reason)
  }
  const hold = (reason: DropReason): void => {
    pending.set(reason, { count: 0, client: "" })
    setTimeout(() => flush(reason), intervalMillis).unref()
  }
  return (reason, client) => {
    const held = pending.get(reason)
    if (held === undefined) {
      log(reason, 1, client)
      hold(reason)
    } else {
      held.count++
      held.client = client
    }
  }
}

/** Logs each answered request directly, because Effect's logger would cost as much as the request itself. */
export const logRequests =
  ({ clientAddress }: Forwarding, write: (line: string) => void): RequestObserver => (answered, request) =>
    write(requestLine(answered, clientAddress(request), logTime()))
