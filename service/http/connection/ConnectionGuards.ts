/**
 * What a connection has to say of a request: how its message was framed, and whether it is its turn. A request that is
 * handed over by other means than a connection, as a simulator does, has neither.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Limits } from "../../config/Limits.ts"
import { rejectionBy } from "./HeaderChecks.ts"
import * as PipeliningGuard from "./PipeliningGuard.ts"

interface Guards {
  readonly pipelining: PipeliningGuard.PipeliningGuard
  /** The refusal of a message that is badly framed. */
  readonly rejectionOf: (request: HttpServerRequest) => HttpServerResponse | undefined
}

const unframed: Guards = {
  pipelining: { waitForPrevious: () => undefined, stopReading: () => undefined, isClosed: () => false },
  rejectionOf: () => undefined
}

export class ConnectionGuards extends Context.Reference<Guards>("pulumi-vps/service/http/Framing", {
  defaultValue: () => unframed
}) {}

/** Of a server that listens: every request came over a connection. */
export const forConnections = Effect.map(Limits, (limits): Guards => ({
  pipelining: PipeliningGuard.make(),
  rejectionOf: rejectionBy(limits)
}))
