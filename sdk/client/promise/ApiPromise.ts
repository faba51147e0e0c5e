/** A promise of the data that can also return the response. Its types need no effect, unlike those of `Promised.ts`. */
import type { ApiResponse } from "../chain/ApiResponse.ts"

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
