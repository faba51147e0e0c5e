/**
 * A clock that runs ahead of another, stands still, or is moved. Whoever sleeps on it is woken when it gets there, by
 * itself or by being moved: one after the other, in the order of their moments.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  at: number
  readonly wake: () => void
}

/** Longest timer of the platform, in milliseconds; a longer sleep is armed again. */
const TIMER_MAX_MILLIS = 2 ** 31 - 1

const NANOS_PER_MILLI = 1_000_000

export class VirtualClock implements Clock.Clock {
  readonly #real: Clock.Clock
  #ahead = 0
  #standsAt: number | undefined
  /** Earliest first; those of one moment in the order in which they went to sleep. */
  readonly #sleepers: Array<Sleeper> = []
  #timer: NodeJS.Timeout | undefined

  constructor(real: Clock.Clock) {
    this.#real = real
  }

  currentTimeMillisUnsafe(): number {
    return this.#standsAt ?? this.#real.currentTimeMillisUnsafe() + this.#ahead
  }

  currentTimeNanosUnsafe(): bigint {
    return this.#standsAt === undefined
      ? this.#real.currentTimeNanosUnsafe() + BigInt(this.#ahead * NANOS_PER_MILLI)
      : BigInt(this.#standsAt) * BigInt(NANOS_PER_MILLI)
  }

  /** Jumps with it: what is measured here is emulated time. */
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback<void>((resume) => {
      const sleeper = { at: this.currentTimeMillisUnsafe() + millis, wake: () => resume(Effect.void) }
      this.#insert(sleeper)
      this.#arm()
      return Effect.sync(() => this.#remove(sleeper))
    })
  }

  /** How far it is before the other clock, in milliseconds; counts while it runs. */
  get ahead(): number {
    return this.currentTimeMillisUnsafe() - this.#real.currentTimeMillisUnsafe()
  }

  /** The moment at which it stands; undefined when it runs. */
  get standsAt(): number | undefined {
    return this.#standsAt
  }

  /** When the next sleeper wakes. */
  get next(): number | undefined {
    return this.#sleepers[0]?.at
  }

  stand(): void {
    this.#standsAt = this.currentTimeMillisUnsafe()
    this.#arm()
  }

  run(): void {
    this.#ahead = this.ahead
    this.#standsAt = undefined
    this.#arm()
  }

  /** Moves a clock that stands to a moment, and wakes the first sleeper if this is its moment. */
  moveTo(moment: number): void {
    this.#standsAt = moment
    if (this.next !== undefined && this.next <= moment) this.#sleepers.shift()!.wake()
  }

  /** Another time from now on; whoever sleeps keeps what is left of the sleep. */
  set(moment: number): void {
    const shift = moment - this.currentTimeMillisUnsafe()
    for (const sleeper of this.#sleepers) sleeper.at += shift
    if (this.#standsAt === undefined) this.#ahead += shift
    else this.#standsAt = moment
    this.#arm()
  }

  #insert(sleeper: Sleeper): void {
    let low = 0
    let high = this.#sleepers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sleepers[middle]!.at > sleeper.at) high = middle
      else low = middle + 1
    }
    this.#sleepers.splice(low, 0, sleeper)
  }

  #remove(sleeper: Sleeper): void {
    const index = this.#sleepers.indexOf(sleeper)
    if (index === -1) return
    this.#sleepers.splice(index, 1)
    this.#arm()
  }

  /** Keeps a timer for the first sleeper while the clock runs. */
  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#standsAt !== undefined || this.next === undefined) return
    const wait = Math.max(0, this.next - this.currentTimeMillisUnsafe())
    this.#timer = setTimeout(() => this.#tick(), Math.min(wait, TIMER_MAX_MILLIS))
  }

  #tick(): void {
    const now = this.currentTimeMillisUnsafe()
    while (this.next !== undefined && this.next <= now) this.#sleepers.shift()!.wake()
    this.#arm()
  }
}
