/** Where Effects become promises. */
import * as Effect from "effect/Effect"
import { ApiPromise } from "./ApiPromise.ts"
import type { CallFailure } from "../chain/Handler.ts"
import type { ApiResponse } from "../chain/Request.ts"
import type { WaitFailure } from "../wait/Wait.ts"

export type Run = <T>(call: Effect.Effect<ApiResponse<T>, CallFailure | WaitFailure>) => ApiPromise<T>

/** Runs a call; its typed failures become the rejection, with the stack of the caller. */
export const run: Run = (call) => {
  // Taken now and formatted only if needed (2 µs): the error is made much later, deep inside effect's fiber.
  const caller: { stack?: string } = {}
  Error.captureStackTrace(caller, run)
  const located = Effect.tapError(call, (error) =>
    Effect.sync(() => {
      error.stack = `${error.name}: ${error.message}${framesOf(caller.stack)}`
    }))
  return new ApiPromise(Effect.runPromise(located))
}

const framesOf = (stack: string | undefined): string => {
  const start = stack?.indexOf("\n    at ") ?? -1
  return stack === undefined || start === -1 ? "" : stack.slice(start)
}
