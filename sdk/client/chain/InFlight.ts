/** Tracks running calls, so that closing a client lets them and their retries finish. Later calls are refused. */
import * as Effect from "effect/Effect"
import type { Handler } from "./Handler.ts"
import { ConfigurationError } from "../errors/Errors.ts"
import { contextOf } from "./Request.ts"

export class InFlight {
  #running = 0
  #closed = false
  readonly #waiting: Array<() => void> = []

  /** Counts a call while it runs; refuses it after `close`. */
  readonly track = (next: Handler): Handler => (request) =>
    Effect.suspend(() => {
      if (this.#closed) return Effect.fail(new ConfigurationError("The client is closed", contextOf(request)))
      this.#running++
      return Effect.ensuring(next(request), this.#leave)
    })

  /** Resolves once no call is running. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.#closed = true
    if (this.#running === 0) resume(Effect.void)
    else this.#waiting.push(() => resume(Effect.void))
  })

  readonly #leave = Effect.sync(() => {
    this.#running--
    if (this.#running > 0) return
    for (const notify of this.#waiting.splice(0)) notify()
  })
}
