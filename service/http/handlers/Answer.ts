/** From a use case to an answer. The value is typed as the wire's, so no encoder needs to run. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Limits } from "../../config/Limits.ts"
import type { Services } from "../../ServiceRuntime.ts"
import { toErrorResponse, type UseCaseError } from "../Errors.ts"

const json = (value: unknown): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(value)

/** What a use case gives, as `show` shows it (200 with JSON unless told otherwise), or its refusal as that's status. */
export const answer = <A>(
  useCase: Effect.Effect<A, UseCaseError, Services>,
  show: (value: A) => HttpServerResponse.HttpServerResponse = json
) =>
  Effect.matchEffect(useCase, {
    onSuccess: (value) => Effect.succeed(show(value)),
    onFailure: (refusal) => Effect.map(Limits, (limits) => toErrorResponse(refusal, limits))
  })
