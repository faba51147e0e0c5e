/** A promise of the data that can also return the response. */
import type { ApiResponse } from "../chain/Handler.ts"
import * as Effect from "effect/Effect"
import type { WaitFailure } from "../errors/ApiErrors.ts"

/** Every call returns one. Await it for the data, or call `withResponse()` for the data and the response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>
  #data: Promise<T> | undefined

  constructor(response: Promise<ApiResponse<T>>) {
    // Nothing awaits this promise itself: `then` uses `#own`.
    super((resolve) => resolve(undefined as T))
    this.#response = response
  }

  // `then` returns a plain promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /**
   * Returns the data and the response: status, headers (lowercase names), request ID, attempts and idempotency key.
   *
   * @example
   * const { data, response } = await vps.instances.create(body).withResponse()
   * response.headers["idempotent-replayed"] // "true" if an earlier create with this key bought the instance
   */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#response
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise of the data that is made on demand
  override then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#own.then(onfulfilled, onrejected)
  }

  override catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#own.catch(onrejected)
  }

  override finally(onfinally?: (() => void) | null): Promise<T> {
    return this.#own.finally(onfinally)
  }

  /** Made on demand: a second promise that nothing awaits would report a rejection as unhandled. */
  get #own(): Promise<T> {
    return this.#data ??= this.#response.then(({ data }) => data)
  }
}

// Turns calls that return Effects into calls that return promises.

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
