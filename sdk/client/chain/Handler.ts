/** The type of one step of the request chain, and of a whole call. */
import type * as Effect from "effect/Effect"
import type { CallFailure, WaitFailure } from "../errors/ApiErrors.ts"
import type { Request } from "./Request.ts"

/** The result of a successful call: the data, and the HTTP response that carried it. */
export interface ApiResponse<T> {
  readonly data: T
  readonly response: {
    readonly status: number
    /** Names are in lowercase. Repeated headers are joined with a comma. */
    readonly headers: Readonly<Record<string, string>>
    /** The server's `X-Request-Id`. */
    readonly requestId: string | undefined
    /** The number of requests sent, including retries. */
    readonly attempts: number
    /** The idempotency key that was sent. Creates only. */
    readonly idempotencyKey: string | undefined
  }
}

export type Handler = (request: Request) => Effect.Effect<ApiResponse<unknown>, CallFailure>

/** A call that returns a `T`. */
export type Call<T> = Effect.Effect<ApiResponse<T>, CallFailure>

/** A call that also waits. */
export type WaitCall<T> = Effect.Effect<ApiResponse<T>, WaitFailure>
