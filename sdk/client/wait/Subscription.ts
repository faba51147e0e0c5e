/** One wait's place in the poll scheduler. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Instance } from "../Records.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import type { CallFailure } from "../errors/Failures.ts"
import { TIMER_RESOLUTION_MS } from "../options/Limits.ts"

/** The scheduler's message to a wait. */
export type PollEvent =
  /** The shared list contained the instance. `early`: the wait was not due yet. */
  | { readonly _tag: "Listed"; readonly response: ApiResponse<Instance>; readonly early: boolean }
  /** The wait may send its own request now. */
  | { readonly _tag: "Poll" }
  /** The shared list failed with a transient error. */
  | { readonly _tag: "Failed"; readonly error: CallFailure }

/** The needs of a wait. */
export interface Interest {
  readonly id: number
  /** `false` if the wait has its own call options, so that its requests differ from those of other waits. */
  readonly shared: boolean
  /** Returns whether the record in a list is sufficient for this wait. Otherwise the wait sends its own request. */
  readonly isSufficient: (instance: Instance) => boolean
}

export class Subscription {
  readonly interest: Interest
  /** Milliseconds of the monotonic clock. Infinite while the wait handles an event. */
  due = Infinity
  /** True if the list was insufficient, so that the next event must be a poll of its own. */
  needsPoll = false
  readonly #onWaiting: () => void
  #resume: ((event: Effect.Effect<PollEvent>) => void) | undefined

  constructor(interest: Interest, onWaiting: () => void) {
    this.interest = interest
    this.#onWaiting = onWaiting
  }

  /** The next event, after `delay` milliseconds or earlier if the poll of another wait serves this one too. */
  next(delay: number): Effect.Effect<PollEvent> {
    return Effect.flatMap(monotonicMillis, (now) =>
      Effect.callback<PollEvent>((resume) => {
        this.due = now + delay
        this.#resume = resume
        this.#onWaiting()
      }))
  }

  get isWaiting(): boolean {
    return this.#resume !== undefined
  }

  isDue(now: number): boolean {
    return this.due < now + TIMER_RESOLUTION_MS
  }

  notify(event: PollEvent): void {
    this.resume(Effect.succeed(event))
  }

  resume(event: Effect.Effect<PollEvent>): void {
    const resume = this.#resume
    this.#resume = undefined
    this.due = Infinity
    this.needsPoll = false
    resume?.(event)
  }
}

export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)
