/**
 * A clock that runs ahead of another, is stopped, or is moved. Its sleepers resume when it reaches their time, by
 * running or by being moved: one after the other, in the order of their times. A scheduler counts the tasks that have
 * not run yet, so that a move can wait for them.
 */
import type * as Scheduler from "effect/Scheduler"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface TrackedScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** The number of scheduled tasks that have not run yet. */
  readonly pending: () => number
}

/** Delegates to the parent, and counts. */
export const trackPending = (parent: Scheduler.Scheduler): TrackedScheduler => {
  let pending = 0
  const scheduler: Scheduler.Scheduler = {
    executionMode: parent.executionMode,
    shouldYield: (fiber) => parent.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = parent.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          pending++
          dispatcher.scheduleTask(() => {
            pending--
            task()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
  return { scheduler, pending: () => pending }
}

interface Sleeper {
  at: number
  readonly resume: () => void
}

/** Longest timer of Node, in milliseconds; a longer sleep sets it again. */
const TIMER_MAX_MILLIS = 2 ** 31 - 1

const NANOS_PER_MILLI = 1_000_000

export class VirtualClock implements Clock.Clock {
  readonly #real: Clock.Clock
  #ahead = 0
  #stoppedAt: number | undefined
  /** Earliest first; those of the same time in the order in which they started to sleep. */
  readonly #sleepers: Array<Sleeper> = []
  #timer: NodeJS.Timeout | undefined

  constructor(real: Clock.Clock) {
    this.#real = real
  }

  currentTimeMillisUnsafe(): number {
    return this.#stoppedAt ?? this.#real.currentTimeMillisUnsafe() + this.#ahead
  }

  currentTimeNanosUnsafe(): bigint {
    return this.#stoppedAt === undefined
      ? this.#real.currentTimeNanosUnsafe() + BigInt(this.#ahead * NANOS_PER_MILLI)
      : BigInt(this.#stoppedAt) * BigInt(NANOS_PER_MILLI)
  }

  /** Moves with the clock: durations are measured in emulated time. */
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
      const sleeper = { at: this.currentTimeMillisUnsafe() + millis, resume: () => resume(Effect.void) }
      this.#insert(sleeper)
      this.#arm()
      return Effect.sync(() => this.#remove(sleeper))
    })
  }

  /** The distance from the other clock, in milliseconds; constant while it runs. */
  get ahead(): number {
    return this.currentTimeMillisUnsafe() - this.#real.currentTimeMillisUnsafe()
  }

  /** The time at which it is stopped; undefined when it runs. */
  get stoppedAt(): number | undefined {
    return this.#stoppedAt
  }

  /** The time of the next sleeper. */
  get next(): number | undefined {
    return this.#sleepers[0]?.at
  }

  stop(): void {
    this.#stoppedAt = this.currentTimeMillisUnsafe()
    this.#arm()
  }

  run(): void {
    this.#ahead = this.ahead
    this.#stoppedAt = undefined
    this.#arm()
  }

  /** Moves a stopped clock to a time, and resumes the first sleeper if it is due. */
  moveTo(time: number): void {
    this.#stoppedAt = time
    if (this.next !== undefined && this.next <= time) this.#sleepers.shift()!.resume()
  }

  /** Sets another time; the remaining duration of each sleep stays the same. */
  set(time: number): void {
    const shift = time - this.currentTimeMillisUnsafe()
    for (const sleeper of this.#sleepers) sleeper.at += shift
    if (this.#stoppedAt === undefined) this.#ahead += shift
    else this.#stoppedAt = time
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

  /** Sets a timer for the first sleeper while the clock runs. */
  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#stoppedAt !== undefined || this.next === undefined) return
    const wait = Math.max(0, this.next - this.currentTimeMillisUnsafe())
    this.#timer = setTimeout(() => this.#tick(), Math.min(wait, TIMER_MAX_MILLIS))
  }

  #tick(): void {
    const now = this.currentTimeMillisUnsafe()
    while (this.next !== undefined && this.next <= now) this.#sleepers.shift()!.resume()
    this.#arm()
  }
}
