/** The lines about requests and connections in the service's log. */
import { logTime } from "../observability/Log.ts"
import type { Forwarding } from "./connection/ClientAddress.ts"
import { DROP_REASONS, type DropReason, type ObserveDrop } from "./connection/DropObserver.ts"
import type { RequestObserver, RequestSummary } from "./middleware/RootMiddleware.ts"
import { redactUrl } from "./middleware/RequestContext.ts"

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
