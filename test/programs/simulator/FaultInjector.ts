/** Kills and stalls processes, and changes the fault rates over time. */
import type { SeededRandom } from "./SeededRandom.ts"
import type { Replica } from "./Replica.ts"
import { CALM, drawRates, type FaultRates } from "./FaultRates.ts"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

const MINUTE = 60_000
/** Duration of one phase of fault rates, in milliseconds. */
const PHASES = [5 * MINUTE, 60 * MINUTE, 8 * 60 * MINUTE]
/** Share of phases in which nothing fails, so that something gets done. */
const CALM_PHASES = 0.3
/** Share of phases in which the upstream or the database is as good as gone, for longer than any retry budget. */
const OUTAGES = 0.2
/** Share of runs in which the whole service is off once, for longer than a grace period. */
const LONG_OUTAGES = 0.4
/** Shortest length of such an outage, in milliseconds; the longest is twice that. */
const OUTAGE_MILLIS = 8 * 24 * 60 * MINUTE
/** Longest time until it begins, in milliseconds: within a run of a day. */
const OUTAGE_BEGINS_MILLIS = 20 * 60 * MINUTE
/** Longest time until a killed process runs again, and longest stall, in milliseconds. */
const AWAY_MILLIS = 2 * MINUTE
const STALL_MILLIS = 4 * MINUTE

type Kind = keyof FaultRates["process"]

export class FaultInjector {
  rates: FaultRates = CALM
  /** Start of the current phase, if the database cannot fail in it. */
  soundSince = 0
  readonly counts = { killed: 0, stopped: 0, stalled: 0, outages: 0 }
  readonly #usual: FaultRates
  readonly #scheduler: VirtualScheduler
  readonly #random: SeededRandom
  readonly #replicas: ReadonlyArray<Replica>
  readonly #proc: SimulatedProcess
  readonly #next: Record<Kind, number> = { killed: 0, stopped: 0, stalled: 0 }
  #over = false
  /** Milliseconds of the run in which the whole service is off. */
  outageMillis = 0

  constructor(scheduler: VirtualScheduler, replicas: ReadonlyArray<Replica>) {
    this.#scheduler = scheduler
    this.#random = scheduler.random.fork()
    this.#replicas = replicas
    this.#proc = scheduler.proc("faults")
    this.#usual = drawRates(this.#random)
  }

  begin(): void {
    this.#turn(this.#draw())
    for (const kind of ["killed", "stopped", "stalled"] as const) this.#plan(kind)
    this.#scheduler.note(`rates: ${JSON.stringify(this.rates)}`)
    this.#scheduler.later(this.#proc, this.#random.pick(PHASES), () => {
      if (!this.#over) this.begin()
    })
  }

  /** To be called once. Calls when the whole service goes off, with the time at which it may start again. */
  planOutage(onBegin: (until: number) => void): void {
    if (!this.#random.chance(LONG_OUTAGES)) return
    this.#scheduler.later(this.#proc, this.#random.below(OUTAGE_BEGINS_MILLIS), () => {
      if (this.#over) return
      this.outageMillis = OUTAGE_MILLIS + this.#random.below(OUTAGE_MILLIS)
      this.counts.outages++
      const until = this.#scheduler.now + this.outageMillis
      this.#scheduler.note(`the whole service is off until ${new Date(until).toISOString()}`)
      for (const replica of this.#replicas) replica.switchOff(until)
      onBegin(until)
    })
  }

  #turn(rates: FaultRates): void {
    const isSound = Object.values(rates.database).every((share) => share === 0)
    if (!isSound) this.soundSince = Number.POSITIVE_INFINITY
    else if (!Number.isFinite(this.soundSince)) this.soundSince = this.#scheduler.now
    this.rates = rates
  }

  #draw(): FaultRates {
    const usual = this.#usual
    if (this.#random.chance(CALM_PHASES)) return CALM
    if (!this.#random.chance(OUTAGES)) return usual
    return this.#random.pick<FaultRates>([
      { ...usual, driver: { ...usual.driver, busy: 0, unavailable: 0, lostAnswer: 0.9 } },
      { ...usual, driver: { ...usual.driver, busy: 0, unavailable: 0.9 } },
      { ...usual, database: { ...usual.database, commit: 0.9 } }
    ])
  }

  /** Nothing fails from now on, and who is away comes back. */
  end(): void {
    this.#over = true
    this.#turn(CALM)
    this.#scheduler.note("rates: calm from now on")
  }

  /** To be called between any two steps: a process may die between any two awaits. */
  strike(): void {
    const { steps } = this.#scheduler
    for (const kind of ["killed", "stopped", "stalled"] as const) {
      if (this.#over || steps < this.#next[kind]) continue
      this.#plan(kind)
      const replica = this.#random.pick(this.#replicas)
      if (replica.listens) this[kind](replica)
    }
  }

  #plan(kind: Kind): void {
    const mean = this.rates.process[kind]
    this.#next[kind] = this.#scheduler.steps +
      (Number.isFinite(mean) ? -Math.log(1 - this.#random.next()) * mean : mean)
  }

  killed(replica: Replica): void {
    this.counts.killed++
    this.#scheduler.note(`${replica.proc.name} is killed`)
    replica.kill()
    this.#comeBack(replica)
  }

  stopped(replica: Replica): void {
    this.counts.stopped++
    this.#scheduler.note(`${replica.proc.name} is told to stop`)
    replica.stop(() => this.#comeBack(replica))
  }

  stalled(replica: Replica): void {
    this.counts.stalled++
    const millis = this.#random.below(STALL_MILLIS)
    this.#scheduler.note(`${replica.proc.name} stalls for ${millis} ms`)
    replica.proc.stalledUntil = this.#scheduler.now + millis
  }

  #comeBack(replica: Replica): void {
    this.#scheduler.later(this.#proc, this.#random.below(AWAY_MILLIS), () => replica.start())
  }
}
