/** What the groups' calls are made with. */
import type * as Effect from "effect/Effect"
import type { CallFailure } from "../chain/Handler.ts"
import type { OperationName } from "./Operations.ts"
import type { CallOptions, CreateOptions } from "../options/Options.ts"
import type { ApiResponse, CallInput } from "../chain/Request.ts"
import type { WaitFailure } from "../wait/Wait.ts"

/** A call that answers a `T`. */
export type Call<T> = Effect.Effect<ApiResponse<T>, CallFailure>

/** A call that also waits. */
export type Wait<T> = Effect.Effect<ApiResponse<T>, WaitFailure>

/** Sends one operation through the chain. */
export type Caller = <T>(name: OperationName, input: CallInput, own?: CreateOptions) => Call<T>

/** The path arguments of what concerns one instance. */
export const one = (instance_id: number) => ({ params: { instance_id } })

/** A wait listens to the signal itself, and knows more to put into its error than a single request. */
export const withoutSignal = ({ headers, maxRetries, timeout }: CallOptions): CallOptions => ({
  headers,
  maxRetries,
  timeout
})
