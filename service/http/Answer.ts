/** From a use case to an answer. The value is typed as the wire's, so no encoder needs to run. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Principal } from "#contract/Authorization"
import type { Caller } from "../domain/Caller.ts"
import { type Services, UseCases } from "../UseCases.ts"
import { callerIn } from "./Caller.ts"
import { type Refusal, respond } from "./Errors.ts"

type UseCase<A> = (by: Caller) => Effect.Effect<A, Refusal, Services>

/** Runs a use case for whoever is asking; its success is shown by `show`, its refusal as the refusal's status. */
export const answerWith = <A>(useCase: UseCase<A>, show: (value: A) => HttpServerResponse.HttpServerResponse) =>
  // One look at the context instead of a step for each service: this runs on every request.
  Effect.contextWith((context: Context.Context<Principal | UseCases>) => {
    const answered = Effect.match(useCase(callerIn(context)), { onSuccess: show, onFailure: respond })
    return Context.get(context, UseCases).run(answered)
  })

/** 200 with the value as JSON, or the refusal as its status. */
export const answer = <A>(useCase: UseCase<A>) => answerWith(useCase, (value) => HttpServerResponse.jsonUnsafe(value))
