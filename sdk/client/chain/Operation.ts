/** An operation of the API as the chain needs it at run time. */

/**
 * When an operation may be retried:
 * - `read`: changes nothing, so always
 * - `purchase`: costs money, and its idempotency key makes it repeatable
 * - `mutation`: only if the server did not do it: it said so, or nothing was sent
 * - `idempotent`: like `mutation`, and if a kept-alive connection was closed before the response began, because a
 *   second request changes nothing more
 * - `once`: like `mutation`, but not after a 502 either. A 502 may hide a success, and a retry would create a second
 *   password, system or snapshot, or restore a disk again and lose what was written since the first restore
 */
export type RetryKind = "read" | "purchase" | "mutation" | "idempotent" | "once"

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the base URL, with `:name` for each path parameter. */
  readonly path: string
  /** The names of the path parameters, in order. */
  readonly params: ReadonlyArray<string>
  readonly retry: RetryKind
  /** True if the call takes a JSON body. */
  readonly body?: true
  /** The names of the query parameters that the call takes. */
  readonly query?: ReadonlyArray<string>
  /** Query parameters that every request of this operation has. */
  readonly fixedQuery?: Readonly<Record<string, string | boolean>>
  /** True if the response is an array, which some servers wrap as `{ items: [...] }`. */
  readonly list?: true
  /** Returns the problem with a response that has the right JSON type but must not be used. */
  readonly check?: (data: Readonly<Record<string, unknown>>) => string | undefined
}
