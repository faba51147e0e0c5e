/**
 * The checks that need a request's connection: how its message is framed, and whether earlier requests are finished. A
 * request that arrives by other means, as in the simulator, passes both.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Limits } from "../../config/Limits.ts"
import { makeHeaderChecks } from "./HeaderChecks.ts"
import * as PipeliningGuard from "./PipeliningGuard.ts"

interface Guards {
  readonly pipelining: PipeliningGuard.PipeliningGuard
  /** The error response to a badly framed message. */
  readonly rejectionOf: (request: HttpServerRequest) => HttpServerResponse | undefined
}

const none: Guards = {
  pipelining: { waitForPrevious: () => undefined, stopReading: () => undefined, isClosed: () => false },
  rejectionOf: () => undefined
}

export class ConnectionGuards extends Context.Reference<Guards>("pulumi-vps/service/http/ConnectionGuards", {
  defaultValue: () => none
}) {}

/** For a server that listens, where every request comes over a connection. */
export const forConnections = Effect.map(Limits, (limits): Guards => ({
  pipelining: PipeliningGuard.make(),
  rejectionOf: makeHeaderChecks(limits)
}))
