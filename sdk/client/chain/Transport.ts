/** Sends one request, with a timeout. Does not interpret statuses, keys or retries. */
import type * as Effect from "effect/Effect"
import type { Request } from "./Request.ts"

/** A response before it is decoded. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** In bytes. */
  readonly size: number
}

/** The reason for a missing response. */
export type SendFailure =
  | { readonly _tag: "Broken"; readonly error: Error; readonly staleConnection: boolean }
  /** No request can be sent until the program or its environment changes: a module is missing, for example. */
  | { readonly _tag: "Unusable"; readonly error: Error }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "TooLarge"; readonly status: number }

/** The timeout covers everything from waiting for a connection to the last byte of the response. */
export type Send = (request: Request) => Effect.Effect<RawResponse, SendFailure>

export interface Transport {
  readonly send: Send
  /** Closes the connections. Leaves the caller's own dispatcher open. */
  readonly close: Effect.Effect<void>
}
