/**
 * Who may look when: one pace for all waits of a client, however many there are. When several are due at once, one
 * list of the account's instances serves them all, also those whose turn was later: so they fall into step.
 */
import type { Instance } from "#contract/Instance"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { Call } from "../calls/Caller.ts"
import type { CallFailure } from "../chain/Handler.ts"
import {
  LIST_INTERVAL_MS,
  LIST_THRESHOLD,
  POLL_TICK_MS,
  POLLS_PER_TICK,
  TIMER_RESOLUTION_MS
} from "../options/Limits.ts"
import type { ApiResponse } from "../chain/Request.ts"
import { isRetryable } from "../chain/Retry.ts"

/** What a wait is told when its turn has come. */
export type Turn =
  /** The shared list showed the instance; `early` when the wait would have slept on. */
  | { readonly _tag: "Shown"; readonly answer: ApiResponse<Instance>; readonly early: boolean }
  /** Ask for the instance yourself. */
  | { readonly _tag: "Look" }
  /** The shared list failed with something that passes. */
  | { readonly _tag: "Trouble"; readonly error: CallFailure }

/** What a wait watches. */
export interface Watched {
  readonly id: number
  /** `false` when its requests differ from the others': it has call options of its own. */
  readonly shared: boolean
  /** Whether the record that a list shows is enough for this wait; otherwise it asks for more itself. */
  readonly enough: (instance: Instance) => boolean
}

export class PollScheduler {
  readonly #list: Call<ReadonlyArray<Instance>>
  readonly #seats = new Set<Subscription>()
  readonly #sooner = Latch.makeUnsafe(false)
  #pace: Fiber.Fiber<never> | undefined
  #ticked = -Infinity
  #listed = -Infinity

  constructor(list: Call<ReadonlyArray<Instance>>) {
    this.#list = list
  }

  /** Takes part until `leave`. */
  join(watched: Watched): Effect.Effect<Subscription> {
    return Effect.withFiberSucceed((fiber) => {
      const seat = new Subscription(watched, () => this.#sooner.openUnsafe())
      this.#seats.add(seat)
      // Belongs to no single wait: it goes on when the one that began it has ended. Forked in one breath with the
      // question whether there is one, or two waits that begin together would each begin a pace.
      this.#pace ??= Effect.runForkWith(fiber.context)(
        Effect.onError(this.#keepPace, (cause) => this.#broken(cause))
      )
      return seat
    })
  }

  /** The last to leave ends the pace, and a list that is under way for nobody. */
  leave(seat: Subscription): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#seats.delete(seat)
      if (this.#seats.size > 0 || this.#pace === undefined) return Effect.void
      const pace = this.#pace
      this.#pace = undefined
      return Fiber.interrupt(pace)
    })
  }

  readonly #keepPace: Effect.Effect<never> = Effect.gen({ self: this }, function*() {
    // Waits that begin in the same breath as the first take their first turn together.
    yield* Effect.yieldNow
    for (;;) {
      const now = yield* millis
      const pause = Math.max(this.#nextDue(), this.#ticked + POLL_TICK_MS) - now
      if (pause < TIMER_RESOLUTION_MS) {
        this.#ticked = now
        yield* this.#tick(now)
      } else {
        this.#sooner.closeUnsafe()
        // Infinite while every wait is looking: then the first to come back ends the pause.
        yield* Effect.raceFirst(Effect.sleep(pause), this.#sooner.await)
      }
    }
  })

  #nextDue(): number {
    let next = Infinity
    for (const { due } of this.#seats) next = Math.min(next, due)
    return next
  }

  readonly #tick = Effect.fnUntraced({ self: this }, function*(now: number) {
    let looks = POLLS_PER_TICK
    const sharing = this.#due(now).filter((seat) => seat.watched.shared && !seat.wantsMore)
    if (sharing.length >= LIST_THRESHOLD && now - this.#listed >= LIST_INTERVAL_MS) {
      this.#listed = now
      looks--
      yield* this.#showAll(now)
    }
    for (const seat of this.#due(now).slice(0, looks)) seat.tell({ _tag: "Look" })
  })

  /** Those that have waited longest first. */
  #due(now: number): ReadonlyArray<Subscription> {
    return [...this.#seats].filter((seat) => seat.isDue(now)).toSorted((one, other) => one.due - other.due)
  }

  #showAll(now: number): Effect.Effect<void> {
    // Not those that come while the list is under way: it may show what was before the call that they wait for.
    const seats = [...this.#seats].filter((seat) => seat.watched.shared && seat.isResting)
    return Effect.match(this.#list, {
      onSuccess: (answer) => show(seats, answer, now),
      onFailure: (error) => {
        // What does not pass is found again by each wait's own look, which makes an error of its own of it.
        if (!isRetryable("read", error)) return show(seats, undefined, now)
        for (const seat of seats) seat.tell({ _tag: "Trouble", error })
      }
    })
  }

  /** A defect is every wait's: nobody else would tell them that their turn never comes. */
  #broken(cause: Cause.Cause<never>): Effect.Effect<void> {
    return Effect.sync(() => {
      if (!Cause.hasDies(cause)) return
      this.#pace = undefined
      for (const seat of this.#seats) seat.resume(Effect.failCause(cause))
    })
  }
}

const show = (
  seats: ReadonlyArray<Subscription>,
  answer: ApiResponse<ReadonlyArray<Instance>> | undefined,
  now: number
): void => {
  const byId = new Map(answer?.data.map((instance) => [instance.id, instance]))
  for (const seat of seats) {
    const data = byId.get(seat.watched.id)
    // A host that answers its list in pages does not show them all.
    if (answer === undefined || data === undefined || !seat.watched.enough(data)) seat.wantsMore = true
    else seat.tell({ _tag: "Shown", answer: { ...answer, data }, early: !seat.isDue(now) })
  }
}

/** One wait's place among the others. */
export class Subscription {
  readonly watched: Watched
  /** Milliseconds of the monotonic clock; infinite while the wait looks for itself. */
  due = Infinity
  /** The list does not tell this wait enough: its next turn is a look of its own. */
  wantsMore = false
  readonly #onSooner: () => void
  #resume: ((turn: Effect.Effect<Turn>) => void) | undefined

  constructor(watched: Watched, onSooner: () => void) {
    this.watched = watched
    this.#onSooner = onSooner
  }

  /** The next turn, in `pause` milliseconds or earlier when another wait's turn serves this one too. */
  next(pause: number): Effect.Effect<Turn> {
    return Effect.flatMap(millis, (now) =>
      Effect.callback<Turn>((resume) => {
        this.due = now + pause
        this.#resume = resume
        this.#onSooner()
      }))
  }

  get isResting(): boolean {
    return this.#resume !== undefined
  }

  isDue(now: number): boolean {
    return this.due < now + TIMER_RESOLUTION_MS
  }

  tell(turn: Turn): void {
    this.resume(Effect.succeed(turn))
  }

  resume(turn: Effect.Effect<Turn>): void {
    const resume = this.#resume
    this.#resume = undefined
    this.due = Infinity
    this.wantsMore = false
    resume?.(turn)
  }
}

const millis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)
