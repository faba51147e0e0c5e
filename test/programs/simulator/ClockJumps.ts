/** Sets the clock of all replicas wrong for a while. An operator confirms the time some time after it is right. */
import { confirmClock } from "#service/admin/commands/Clock"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Replica } from "./Replica.ts"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Distances from the right time; those of less than a day are not noticed at a start, and so must not do harm. */
const DISTANCES = [5 * MINUTE, 40 * MINUTE, 3 * DAY, 40 * DAY, 3 * 365 * DAY]
const DURATIONS = [3 * SECOND, 10 * MINUTE, 6 * HOUR]
/** Longest time until the next jump, and until an operator notices that the last one is over. */
const PAUSE_MILLIS = 16 * HOUR
const NOTICE_MILLIS = 4 * HOUR

/** Nothing is charged and nothing ends earlier than this, in milliseconds. */
export const EARLY_MILLIS = HOUR

export class ClockJumps {
  count = 0
  readonly #scheduler: VirtualScheduler
  readonly #random: SeededRandom
  readonly #replicas: ReadonlyArray<Replica>
  readonly #proc: SimulatedProcess
  #over = false

  constructor(scheduler: VirtualScheduler, replicas: ReadonlyArray<Replica>) {
    this.#scheduler = scheduler
    this.#random = scheduler.random.fork()
    this.#replicas = replicas
    this.#proc = scheduler.proc("clock")
  }

  #later(most: number, run: () => void): void {
    this.#scheduler.later(this.#proc, this.#random.below(most), () => {
      if (!this.#over) run()
    })
  }

  begin(): void {
    this.#later(PAUSE_MILLIS, () => {
      this.count++
      this.#set(this.#random.pick(DISTANCES) * this.#random.pick([1, -1]))
      this.#later(this.#random.pick(DURATIONS), () => {
        this.#set(0)
        this.#later(NOTICE_MILLIS, () => {
          this.confirm()
          this.begin()
        })
      })
    })
  }

  #set(ahead: number): void {
    this.#scheduler.clockAhead = ahead
    this.#scheduler.note(`the clock is ${ahead} ms ahead`)
  }

  /** The service doubts a clock that has run on for days while it was off: an operator confirms the time afterwards. */
  confirmAfter(moment: number): void {
    this.#scheduler.later(this.#proc, moment - this.#scheduler.now, () => {
      this.#later(NOTICE_MILLIS, () => this.confirm())
    })
  }

  /** Refused if the time is trusted. */
  confirm(): void {
    const time = new Date(this.#scheduler.now).toISOString()
    this.#random.pick(this.#replicas).inside(confirmClock({ time }), () => undefined)
  }

  /** The clock is right from now on. */
  end(): void {
    this.#over = true
    this.#set(0)
  }
}
