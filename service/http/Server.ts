/** The HTTP server of the service: all routes, and the Node server that they run on. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Server as NodeServer } from "node:http"
import { Server as NetServer } from "node:net"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { makeServer } from "./connection/NodeServer.ts"
import * as Docs from "./system/Docs.ts"
import * as OpenApiDocument from "./system/OpenApiDocument.ts"
import * as RootMiddleware from "./middleware/RootMiddleware.ts"
import * as ApiRoutes from "./handlers/ApiRoutes.ts"
import { handlers } from "./handlers/Handlers.ts"
import { TrustedProxies } from "./connection/ClientAddress.ts"
import { ConnectionGuards, guardServer } from "./connection/ConnectionGuards.ts"
import { DropObserver, makeDrop, type ObserveDrop } from "./connection/DropObserver.ts"
import type { ConnectionRules } from "./connection/ConnectionPlaces.ts"
import * as Health from "./system/Health.ts"
import { Readiness } from "./system/Health.ts"
import * as Metrics from "./system/Metrics.ts"

/** The contract's endpoints, the health checks and the documents. `App` adds the routes of the panel. */
export const routes = Layer.mergeAll(
  Layer.unwrap(Effect.map(handlers, ApiRoutes.layer)),
  Health.layer,
  Docs.layer,
  OpenApiDocument.layer,
  Metrics.layer,
  RootMiddleware.layer
)

/** The service cannot listen on its configured address. `message` says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

interface Address {
  readonly host: string
  readonly port: number
}

/** Explains a failure to listen to the operator. */
const toListenError = ({ cause }: ServeError, { host, port }: Address): ListenError => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  const message = code === "EADDRINUSE"
    ? `${host}:${port} is in use by another program. Stop that program, or choose another --port (0 picks a free one).`
    : `Cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
  return new ListenError({ message })
}

/** In the place of a server that cannot listen. */
export const failToListen = (address: Address) => (error: ServeError) =>
  Layer.effect(HttpServer.HttpServer, Effect.fail(toListenError(error, address)))

/** If true, a shutdown aborts requests in progress instead of waiting for them. For tests. */
export const AbortRequestsOnShutdown = Context.Reference<boolean>("@pulumi-vps/service/AbortRequestsOnShutdown", {
  defaultValue: () => false
})

/** Milliseconds between two counts of the open connections. */
const COUNT_MILLIS = 20

/** Waits in real time until all connections are closed, but not longer than until `end`, by `performance.now()`. */
const untilClosed = (server: NodeServer, end: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const look = (): void => {
      server.getConnections((_, count) => {
        if (count === 0 || performance.now() >= end) resume(Effect.void)
        else setTimeout(look, COUNT_MILLIS)
      })
    }
    look()
  })

/**
 * Stops listening. Requests on open connections are handled, and each response closes its connection. A proxy that
 * keeps connections for less than `LAME_DUCK_MILLIS` has used or closed every one by then, so that closing the others
 * loses no request.
 * A client that never reads its response would hold one open for longer than any supervisor waits.
 */
const shutDown = (server: NodeServer, { CLOSE_GRACE_MILLIS, LAME_DUCK_MILLIS, SHUTDOWN_MILLIS }: LimitValues) =>
  Effect.gen(function*() {
    const { drain, leave } = yield* Readiness
    yield* leave
    const began = performance.now()
    // The method of an HTTP server would close idle connections, too, on which requests may be under way.
    NetServer.prototype.close.call(server)
    yield* untilClosed(server, began + Math.min(LAME_DUCK_MILLIS, SHUTDOWN_MILLIS))
    yield* drain
    server.closeIdleConnections()
    yield* untilClosed(server, began + SHUTDOWN_MILLIS)
    setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MILLIS).unref()
  })

/** Built last, so that it is released first. */
const closeConnections = (server: NodeServer, limits: LimitValues) => {
  const closeNow = Effect.sync(() => {
    server.close()
    server.closeAllConnections()
  })
  return Layer.effectDiscard(
    Effect.flatMap(
      AbortRequestsOnShutdown,
      (abort) => Effect.addFinalizer(() => abort ? closeNow : shutDown(server, limits))
    )
  )
}

/** Paths match literally: `/METRICS` or `//metrics` must not bypass a proxy's rule for `/metrics`. */
const LITERAL = { caseSensitive: true, ignoreDuplicateSlashes: false }

/** A frame of a browser is small: keys, pointer, and at most a pasted text. */
const WEBSOCKET = { maxPayload: 64 * 1024, perMessageDeflate: false }

const listening = <A, E, R>(
  all: Layer.Layer<A, E, R>,
  options: Address,
  rules: ConnectionRules,
  observe: ObserveDrop
) => {
  const { limits } = rules
  const server = makeServer(limits, makeDrop(observe))
  const guards = guardServer(server, rules, observe)
  return Layer.provideMerge(
    closeConnections(server, limits),
    HttpRouter.serve(all, { disableLogger: true, disableListenLog: true, routerConfig: LITERAL }).pipe(
      Layer.provide(Layer.succeed(ConnectionGuards, guards)),
      Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limits.BODY_BYTES_MAX))),
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, { ...options, websocket: WEBSOCKET })),
      Layer.provide(HttpServer.layerServices)
    )
  )
}

interface ServeOptions extends Address {
  readonly rateLimits: boolean
}

/** Serves routes on an address. Effect's own request log is off, because it writes to standard output. */
export const serve = <A, E, R>(all: Layer.Layer<A, E, R>, { host, port, rateLimits }: ServeOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    const rules = { limits: yield* Limits, isProxy: (yield* TrustedProxies).isProxy, limitAddresses: rateLimits }
    return listening(all, { host, port }, rules, yield* DropObserver)
  }))
