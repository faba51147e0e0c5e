/** A promise of the data that can also give the response it came with. */
import type { ApiResponse } from "../chain/Request.ts"

/** What every call returns: await it for the data, or `withResponse()` for the data and the response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<ApiResponse<T>>
  #data: Promise<T> | undefined

  constructor(answer: Promise<ApiResponse<T>>) {
    // This promise itself is never waited for: `then` is answered by the one below.
    super((resolve) => resolve(undefined as T))
    this.#answer = answer
  }

  // What `then` returns is a plain promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /**
   * The data, and the response: status, headers (names in lower case), request id, attempts and idempotency key.
   *
   * @example
   * const { data, response } = await vps.instances.create(body).withResponse()
   * response.headers["idempotent-replayed"] // "true" when this key had bought already
   */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#answer
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise of the data that is made when somebody asks for it
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

  /** Made on demand: a second promise that nobody looks at would report a rejection as unhandled. */
  get #own(): Promise<T> {
    return this.#data ??= this.#answer.then((answer) => answer.data)
  }
}
