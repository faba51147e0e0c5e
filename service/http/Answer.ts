/** From a use case to an answer. The value is typed as the wire's, so no encoder needs to run. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Refusal, respond } from "./Errors.ts"

/** 200 with the value as JSON, or the refusal as its status. */
export const answer = <A, R>(useCase: Effect.Effect<A, Refusal, R>) =>
  Effect.match(useCase, { onSuccess: (value) => HttpServerResponse.jsonUnsafe(value), onFailure: respond })
