/** Turns calls that return Effects into calls that return promises. */
import * as Effect from "effect/Effect"
import type { WaitFailure } from "../errors/ApiErrors.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { ApiPromise } from "./ApiPromise.ts"

/** The calls of a group, as promises. */
export type Promised<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends
    (...args: infer Args) => Effect.Effect<ApiResponse<infer Data>, infer _> ? (...args: Args) => ApiPromise<Data>
    : never
}

type AnyCall = (...args: ReadonlyArray<unknown>) => Effect.Effect<ApiResponse<unknown>, WaitFailure>

export const promised = <Group extends object>(group: Group): Promised<Group> =>
  Object.fromEntries(
    Object.entries(group as Record<string, AnyCall>).map(([name, call]) => {
      const promise = (...args: ReadonlyArray<unknown>) => run(call(...args), promise)
      return [name, promise]
    })
  ) as Promised<Group>

/** Runs a call. Its typed errors become the rejection, with the stack of the caller of `entry`, or of this function. */
export const run = <T>(call: Effect.Effect<ApiResponse<T>, WaitFailure>, entry?: Function): ApiPromise<T> => {
  // Captured now and formatted only if needed (2 µs): the error is made much later, deep inside Effect's fiber.
  const caller: { stack?: string } = {}
  Error.captureStackTrace?.(caller, entry ?? run)
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
