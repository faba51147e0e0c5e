/** Closing a client: calls that come later are refused, those under way finish, with their retries. */
import * as Effect from "effect/Effect"
import type { Handler } from "./Handler.ts"
import { ConfigurationError } from "../errors/Errors.ts"
import { contextOf } from "./Request.ts"

export class InFlight {
  #running = 0
  #closed = false
  readonly #waiting: Array<() => void> = []

  /** Lets a call through until the gate is closed. */
  readonly through = (next: Handler): Handler => (request) =>
    Effect.suspend(() => {
      if (this.#closed) return Effect.fail(new ConfigurationError("The client is closed", contextOf(request)))
      this.#running++
      return Effect.ensuring(next(request), this.#leave)
    })

  /** Ends when no call is under way. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.#closed = true
    if (this.#running === 0) resume(Effect.void)
    else this.#waiting.push(() => resume(Effect.void))
  })

  readonly #leave = Effect.sync(() => {
    this.#running--
    if (this.#running > 0) return
    for (const tell of this.#waiting.splice(0)) tell()
  })
}
