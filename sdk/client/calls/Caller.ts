/** What the groups' calls are made with. */
import type * as Effect from "effect/Effect"
import type { CallFailure } from "../Handler.ts"
import type { OperationName } from "../Operations.ts"
import type { CreateOptions } from "../Options.ts"
import type { Answer, CallInput } from "../Request.ts"

/** A call that answers a `T`. */
export type Call<T> = Effect.Effect<Answer<T>, CallFailure>

/** Sends one operation through the chain. */
export type Caller = <T>(name: OperationName, input: CallInput, own?: CreateOptions) => Call<T>

/** The path arguments of what concerns one instance. */
export const one = (instance_id: number) => ({ params: { instance_id } })
