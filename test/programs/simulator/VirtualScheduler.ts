/**
 * The scheduler that everything runs on: one clock, one pool of runnable tasks, and a seeded choice among them. All of
 * it is synchronous, so only the seed decides the order.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import type { SeededRandom } from "./SeededRandom.ts"
import { type SimulatedProcess, type Task, Timers } from "./Timers.ts"
import { Trace } from "./Trace.ts"

/** A Saturday, so that a month of it ends on the short February. */
const BEGINNING = Date.UTC(2026, 0, 31, 12)
const NANOS_PER_MILLI = 1_000_000n

/** Operations of a fiber between two yields: mostly as in production, sometimes hardly any. */
const BUDGET = 2_048
const SMALL_BUDGET = 120
const SMALL_BUDGETS = 0.15
/** Rate and distance, in milliseconds, of time advancing although a task could run. */
const CREEPS = 0.02
const CREEP_MILLIS = 40

export class VirtualScheduler {
  now = BEGINNING
  /** The error of the clock of every replica, in milliseconds; the monotonic clocks are right. */
  clockAhead = 0
  steps = 0
  readonly trace = new Trace()
  readonly random: SeededRandom
  /** The process that runs right now. */
  current: SimulatedProcess
  /** Called with every error that the service logs. */
  onError: (proc: SimulatedProcess, message: string) => void = () => undefined
  readonly #timers = new Timers()
  #ready: Array<Task> = []
  #budget = BUDGET

  constructor(random: SeededRandom) {
    this.random = random
    this.current = this.proc("scheduler")
  }

  proc(name: string): SimulatedProcess {
    return { name, alive: true, stalledUntil: 0 }
  }

  get beginning(): number {
    return BEGINNING
  }

  /** Runs a task that the seeded generator picks. */
  soon(proc: SimulatedProcess, run: () => void): Task {
    const task = { proc, run, cancelled: false }
    this.#ready.push(task)
    return task
  }

  /** The same, not before some milliseconds have passed. */
  later(proc: SimulatedProcess, millis: number, run: () => void): Task {
    const task = { proc, run, cancelled: false }
    this.#timers.add(this.now + Math.max(0, millis), task)
    return task
  }

  note(event: string): void {
    this.trace.event(this.now - BEGINNING, event)
  }

  /** Does one thing; false when nothing is left to be done, ever. */
  step(): boolean {
    if (this.random.chance(CREEPS)) this.now += this.random.between(1, CREEP_MILLIS)
    this.#wake()
    const index = this.#choose()
    if (index === undefined) return this.#pass()
    const last = this.#ready.length - 1
    const task = this.#ready[index]!
    this.#ready[index] = this.#ready[last]!
    this.#ready.pop()
    this.#run(task, index)
    return true
  }

  #run(task: Task, index: number): void {
    if (task.cancelled || !task.proc.alive) return
    this.steps++
    this.trace.step(this.steps, this.now - BEGINNING, index)
    this.#budget = this.random.chance(SMALL_BUDGETS) ? this.random.between(1, SMALL_BUDGET) : BUDGET
    const before = this.current
    this.current = task.proc
    try {
      task.run()
    } finally {
      this.current = before
    }
  }

  /** One of those that are not stalled. */
  #choose(): number | undefined {
    if (this.#ready.length === 0) return undefined
    const first = this.random.below(this.#ready.length)
    for (let offset = 0; offset < this.#ready.length; offset++) {
      const index = (first + offset) % this.#ready.length
      if (this.#ready[index]!.proc.stalledUntil <= this.now) return index
    }
    return undefined
  }

  #wake(): void {
    for (let due = this.#timers.take(this.now); due !== undefined; due = this.#timers.take(this.now)) {
      if (due.proc.alive && !due.cancelled) this.#ready.push(due)
    }
  }

  /** Lets time continue until something can be done. */
  #pass(): boolean {
    const stalls = this.#ready.map(({ proc }) => proc.stalledUntil)
    const next = Math.min(this.#timers.next, ...stalls)
    if (!Number.isFinite(next)) return false
    this.now = Math.max(this.now, next)
    return true
  }

  /** The earliest time at which a task can run. */
  get next(): number {
    return this.#ready.length > 0 ? this.now : this.#timers.next
  }

  readonly #clock = (proc: () => SimulatedProcess, isReplica: boolean): Clock.Clock => {
    const time = () => isReplica ? this.now + this.clockAhead : this.now
    const nanos = () => BigInt(time()) * NANOS_PER_MILLI
    const steady = () => BigInt(this.now) * NANOS_PER_MILLI
    return {
      currentTimeMillisUnsafe: time,
      currentTimeNanosUnsafe: nanos,
      monotonicTimeNanosUnsafe: steady,
      currentTimeMillis: Effect.sync(time),
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanos: Effect.sync(steady),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        if (!Number.isFinite(millis)) return Effect.never
        return Effect.callback<void>((resume) => {
          const task = this.later(proc(), millis, () => resume(Effect.void))
          return Effect.sync(() => void (task.cancelled = true))
        })
      }
    }
  }

  #effectScheduler(proc: SimulatedProcess): Scheduler.Scheduler {
    return {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= this.#budget,
      makeDispatcher: () => ({
        scheduleTask: (run) => void this.soon(proc, run),
        flush: () => undefined
      })
    }
  }

  #logger(proc: SimulatedProcess) {
    return Logger.make(({ cause, logLevel, message }) => {
      if (logLevel !== "Error" && logLevel !== "Fatal") return
      const reasons = cause.reasons.map((reason) => reason._tag === "Die" ? String(reason.defect) : reason._tag)
      this.onError(proc, [...[message].flat(), ...reasons].map(String).join(" "))
    })
  }

  /** The context of every effect of a process: this clock, this scheduler, a generator of its own. */
  context(proc: SimulatedProcess, isReplica = false): Context.Context<never> {
    const random = this.random.fork()
    const nextDoubleUnsafe = () => random.next()
    const nextIntUnsafe = () => Math.floor((random.next() * 2 - 1) * Number.MAX_SAFE_INTEGER)
    return Context.empty().pipe(
      Context.add(Clock.Clock, this.#clock(() => proc, isReplica)),
      Context.add(Scheduler.Scheduler, this.#effectScheduler(proc)),
      Context.add(Random.Random, { nextDoubleUnsafe, nextIntUnsafe }),
      Context.add(Logger.CurrentLoggers, new Set([this.#logger(proc)]))
    ) as Context.Context<never>
  }
}
