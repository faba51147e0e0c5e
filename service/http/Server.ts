/** The HTTP side of the service: every route, and the server they stand on. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Server as NodeServer } from "node:http"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { account } from "./handlers/Account.ts"
import { backups } from "./handlers/Backups.ts"
import { makeServer } from "./connection/NodeServer.ts"
import * as Docs from "./system/Docs.ts"
import * as OpenApiDocument from "./system/OpenApiDocument.ts"
import * as RootMiddleware from "./middleware/RootMiddleware.ts"
import * as ApiRoutes from "./handlers/ApiRoutes.ts"
import { ConnectionGuards, forConnections } from "./connection/ConnectionGuards.ts"
import * as Health from "./system/Health.ts"
import { instances } from "./handlers/Instances.ts"
import { isos } from "./handlers/Isos.ts"
import * as Metrics from "./system/Metrics.ts"
import { monitoring } from "./handlers/Monitoring.ts"
import { power } from "./handlers/Power.ts"
import { rescue } from "./handlers/Rescue.ts"
import { services } from "./handlers/Services.ts"
import { snapshots } from "./handlers/Snapshots.ts"

const endpoints = Layer.unwrap(
  Effect.map(
    account,
    (account) => ApiRoutes.layer({ account, services, instances, monitoring, power, snapshots, backups, isos, rescue })
  )
)

/** The contract's endpoints, the health checks and the documents; what the emulator adds comes from App. */
export const routes = Layer.mergeAll(
  endpoints,
  Health.layer,
  Docs.layer,
  OpenApiDocument.layer,
  Metrics.layer,
  RootMiddleware.layer
)

/** The service cannot listen where it was told to; `message` says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("AddressUnusable", {
  message: Schema.String
}) {}

interface Address {
  readonly host: string
  readonly port: number
}

/** What a failure to listen means to the operator. */
export const explain = ({ cause }: ServeError, { host, port }: Address): ListenError => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  const message = code === "EADDRINUSE"
    ? `${host}:${port} is in use by another program. Stop that, or choose another --port (0 picks a free one).`
    : `It is not possible to listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
  return new ListenError({ message })
}

/** Whether requests under way are cut off when the service stops, for those who will not wait for them: a test. */
export const AbortRequestsOnShutdown = Context.Reference<boolean>("pulumi-vps/service/CutsOff", {
  defaultValue: () => false
})

/**
 * Built last, so that it goes first: the graceful end has nothing left to wait for. It waits for connections, and a
 * client that reads no answer would keep one open for longer than any supervisor waits.
 */
const cutting = (server: NodeServer, { CLOSE_GRACE_MILLIS, SHUTDOWN_MILLIS }: LimitValues) => {
  const cut = Effect.sync(() => {
    server.close()
    server.closeAllConnections()
  })
  const cutLater = Effect.sync(() =>
    void setTimeout(() => server.closeAllConnections(), SHUTDOWN_MILLIS + CLOSE_GRACE_MILLIS).unref()
  )
  return Layer.effectDiscard(
    Effect.flatMap(AbortRequestsOnShutdown, (cutsOff) => Effect.addFinalizer(() => cutsOff ? cut : cutLater))
  )
}

/** Paths mean what they say: a proxy's rule for `/metrics` must not be passed by `/METRICS` or `//metrics`. */
const LITERAL = { caseSensitive: true, ignoreDuplicateSlashes: false }

const listening = <A, E, R>(all: Layer.Layer<A, E, R>, options: Address, limits: LimitValues) => {
  const server = makeServer(limits)
  const graceful = { ...options, gracefulShutdownTimeout: Duration.millis(limits.SHUTDOWN_MILLIS) }
  return Layer.provideMerge(
    cutting(server, limits),
    HttpRouter.serve(all, { disableLogger: true, disableListenLog: true, routerConfig: LITERAL }).pipe(
      Layer.provide(Layer.effect(ConnectionGuards, forConnections)),
      Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limits.BODY_BYTES_MAX))),
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, graceful)),
      Layer.provide(HttpServer.layerServices)
    )
  )
}

/** Serves routes on an address. The built-in request log is off: it is on standard output, ours is not. */
export const serve = <A, E, R>(all: Layer.Layer<A, E, R>, options: Address) =>
  Layer.unwrap(Effect.map(Limits, (limits) => listening(all, options, limits)))
