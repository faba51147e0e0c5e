/**
 * What a connection has to say of a request: how its message was framed, and whether it is its turn. A request that is
 * handed over by other means than a connection, as a simulator does, has neither.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { refusalOf } from "./HeaderChecks.ts"
import * as Turns from "./PipeliningGuard.ts"

interface Framed {
  readonly turns: Turns.Turns
  /** The refusal of a message that is badly framed. */
  readonly refusalOf: (request: HttpServerRequest) => HttpServerResponse | undefined
}

const unframed: Framed = {
  turns: { wait: () => undefined, end: () => undefined, isPast: () => false },
  refusalOf: () => undefined
}

export class Framing extends Context.Reference<Framed>("pulumi-vps/service/http/Framing", {
  defaultValue: () => unframed
}) {}

/** Of a server that listens: every request came over a connection. */
export const ofConnections = Effect.sync((): Framed => ({ turns: Turns.make(), refusalOf }))
