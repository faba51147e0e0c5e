/** The type of one step of the request chain, and of a whole call. */
import type * as Effect from "effect/Effect"
import type { CallFailure, WaitFailure } from "../errors/ApiErrors.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import type { Request } from "./Request.ts"

export type Handler = (request: Request) => Effect.Effect<ApiResponse<unknown>, CallFailure>

/** A call that returns a `T`. */
export type Call<T> = Effect.Effect<ApiResponse<T>, CallFailure>

/** A call that also waits. */
export type WaitCall<T> = Effect.Effect<ApiResponse<T>, WaitFailure>
