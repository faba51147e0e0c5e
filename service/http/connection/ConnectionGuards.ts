/**
 * The checks that need a request's connection: how its message is framed, whether its place is reserved for health
 * checks, and how much it leaves unread. A request that arrives by other means, as in the simulator, passes all.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { errorResponse } from "../Errors.ts"
import { type ConnectionRules, limitConnections } from "./ConnectionPlaces.ts"
import { addressOf, makeDrop, type ObserveDrop } from "./DropObserver.ts"
import { makeHeaderChecks } from "./HeaderChecks.ts"
import { boundUnread } from "./UnreadResponses.ts"

interface Guards {
  /** The error response to a badly framed message, or on a connection that is reserved for health checks. */
  readonly rejectionOf: (request: HttpServerRequest) => HttpServerResponse | undefined
  /** Must be called before a response is sent. */
  readonly beforeSending: (request: HttpServerRequest, response: HttpServerResponse) => void
}

const none: Guards = { rejectionOf: () => undefined, beforeSending: () => undefined }

export class ConnectionGuards extends Context.Reference<Guards>("pulumi-vps/service/http/ConnectionGuards", {
  defaultValue: () => none
}) {}

const HEALTH_CHECKS = new Set(["/livez", "/readyz"])

const responseTo = (request: HttpServerRequest) => NodeHttpServerRequest.toServerResponse(request) as ServerResponse

/** Guards a server that is not listening yet. */
export const guardServer = (server: Server, rules: ConnectionRules, observe: ObserveDrop): Guards => {
  const drop = makeDrop(observe)
  const checkHeaders = makeHeaderChecks(rules.limits)
  const reservedFor = limitConnections(server, rules, drop)
  const bound = boundUnread(rules.limits, drop)
  const overloaded = errorResponse(503, "Too many connections. Close some, or retry shortly.", {
    connection: "close",
    "retry-after": String(rules.limits.OVERLOAD_RETRY_AFTER_SECONDS)
  })
  return {
    rejectionOf: (request) => {
      const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
      const rejection = checkHeaders(message)
      const reason = rejection === undefined ? reservedFor(message.socket) : undefined
      if (reason === undefined) return rejection
      // One check for each connection, so that its place is free again.
      responseTo(request).shouldKeepAlive = false
      if (HEALTH_CHECKS.has(message.url ?? "")) return undefined
      observe(reason, addressOf(message.socket))
      return overloaded
    },
    beforeSending: (request, { body }) => {
      if (body._tag === "Uint8Array") bound(responseTo(request), body.contentLength)
    }
  }
}
