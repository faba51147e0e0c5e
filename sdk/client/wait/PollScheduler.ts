/**
 * Schedules the polls of all waits of one client in one loop. When several waits are due, one list of the account's
 * instances serves them all, and also those that are due later: so their polls synchronize.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { Instance } from "../Records.ts"
import type { Call } from "../chain/Transport.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { isRetryable } from "../chain/Retry.ts"
import {
  LIST_INTERVAL_MS,
  LIST_THRESHOLD,
  POLL_TICK_MS,
  POLLS_PER_TICK,
  TIMER_RESOLUTION_MS
} from "../options/Limits.ts"
import * as Clock from "effect/Clock"
import type { CallFailure } from "../errors/ApiErrors.ts"

// One wait's place in the poll scheduler.

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

const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)

export class PollScheduler {
  readonly #list: Call<ReadonlyArray<Instance>>
  readonly #subscriptions = new Set<Subscription>()
  readonly #rescheduled = Latch.makeUnsafe(false)
  #loop: Fiber.Fiber<never> | undefined
  #lastTick = -Infinity
  #lastList = -Infinity

  constructor(list: Call<ReadonlyArray<Instance>>) {
    this.#list = list
  }

  /** Adds a wait until `unsubscribe`. */
  subscribe(interest: Interest): Effect.Effect<Subscription> {
    return Effect.withFiberSucceed((fiber) => {
      const subscription = new Subscription(interest, () => this.#rescheduled.openUnsafe())
      this.#subscriptions.add(subscription)
      // The loop belongs to no single wait, so it must outlive the one that starts it. It is forked synchronously with
      // the check for a running loop; otherwise two waits that begin together would each start one.
      this.#loop ??= Effect.runForkWith(fiber.context)(
        Effect.onError(this.#run, (cause) => this.#failAll(cause))
      )
      return subscription
    })
  }

  /** Removes a wait. The last one ends the loop, and a list request that is running. */
  unsubscribe(subscription: Subscription): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#subscriptions.delete(subscription)
      if (this.#subscriptions.size > 0 || this.#loop === undefined) return Effect.void
      const loop = this.#loop
      this.#loop = undefined
      return Fiber.interrupt(loop)
    })
  }

  readonly #run: Effect.Effect<never> = Effect.gen({ self: this }, function*() {
    // Waits that begin at the same time as the first one take part in its first poll.
    yield* Effect.yieldNow
    for (;;) {
      const now = yield* monotonicMillis
      const delay = Math.max(this.#nextDue(), this.#lastTick + POLL_TICK_MS) - now
      if (delay < TIMER_RESOLUTION_MS) {
        this.#lastTick = now
        yield* this.#tick(now)
      } else {
        this.#rescheduled.closeUnsafe()
        // Infinite while every wait handles an event: the first one that is ready for its next event ends the sleep.
        yield* Effect.raceFirst(Effect.sleep(delay), this.#rescheduled.await)
      }
    }
  })

  #nextDue(): number {
    let next = Infinity
    for (const { due } of this.#subscriptions) next = Math.min(next, due)
    return next
  }

  readonly #tick = Effect.fnUntraced({ self: this }, function*(now: number) {
    let polls = POLLS_PER_TICK
    const sharing = this.#due(now).filter(({ interest, needsPoll }) => interest.shared && !needsPoll)
    if (sharing.length >= LIST_THRESHOLD && now - this.#lastList >= LIST_INTERVAL_MS) {
      this.#lastList = now
      polls--
      yield* this.#notifyFromList(now)
    }
    for (const subscription of this.#due(now).slice(0, polls)) subscription.notify({ _tag: "Poll" })
  })

  /** The due waits, longest due first. */
  #due(now: number): ReadonlyArray<Subscription> {
    return [...this.#subscriptions].filter((one) => one.isDue(now)).toSorted((one, other) => one.due - other.due)
  }

  #notifyFromList(now: number): Effect.Effect<void> {
    // Not the waits that begin during the request: the list may be older than the change that they wait for.
    const waiting = [...this.#subscriptions].filter(({ interest, isWaiting }) => interest.shared && isWaiting)
    return Effect.match(this.#list, {
      onSuccess: (response) => notifyEach(waiting, response, now),
      onFailure: (error) => {
        // A permanent error will recur in each wait's own request, which then has an error object of its own.
        if (!isRetryable("read", error)) return notifyEach(waiting, undefined, now)
        for (const subscription of waiting) subscription.notify({ _tag: "Failed", error })
      }
    })
  }

  /** Passes a defect on to every wait, which would otherwise never get its next event. */
  #failAll(cause: Cause.Cause<never>): Effect.Effect<void> {
    return Effect.sync(() => {
      if (!Cause.hasDies(cause)) return
      this.#loop = undefined
      for (const subscription of this.#subscriptions) subscription.resume(Effect.failCause(cause))
    })
  }
}

const notifyEach = (
  waiting: ReadonlyArray<Subscription>,
  response: ApiResponse<ReadonlyArray<Instance>> | undefined,
  now: number
): void => {
  const byId = new Map(response?.data.map((instance) => [instance.id, instance]))
  for (const subscription of waiting) {
    const data = byId.get(subscription.interest.id)
    // A server that pages its list does not return every instance.
    if (response === undefined || data === undefined || !subscription.interest.isSufficient(data)) {
      subscription.needsPoll = true
    } else {
      subscription.notify({ _tag: "Listed", response: { ...response, data }, early: !subscription.isDue(now) })
    }
  }
}
