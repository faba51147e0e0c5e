/**
 * The machine that everything runs on: one clock, one pool of what could go on now, and dice that say what does. All
 * of it is synchronous, so nothing outside of the dice decides anything.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import type { Dice } from "./Dice.ts"
import { Timers } from "./Timers.ts"
import { Trace } from "./Trace.ts"

/** What dies and stalls as a whole: a process of the service, or what stands beside it and does neither. */
export interface Home {
  readonly name: string
  /** Once false, nothing of it ever goes on: no finalizer, no timer, as after kill -9. */
  alive: boolean
  /** It does nothing before this moment, in epoch milliseconds, while time goes on for everybody else. */
  stalledUntil: number
}

export interface Task {
  readonly home: Home
  readonly run: () => void
  cancelled: boolean
}

/** A Saturday, so that a month of it ends on the short February. */
const BEGINNING = Date.UTC(2026, 0, 31, 12)
const NANOS_PER_MILLI = 1_000_000n

/** Operations of a fiber between two looks at the pool: mostly as in production, sometimes hardly any. */
const BUDGET = 2_048
const SMALL_BUDGET = 120
const SMALL_BUDGETS = 0.15
/** How often, and how far in milliseconds, time goes on although something could be done. */
const CREEPS = 0.02
const CREEP_MILLIS = 40

export class World {
  now = BEGINNING
  steps = 0
  readonly trace = new Trace()
  readonly dice: Dice
  /** Who runs right now. */
  current: Home
  /** Called with every error that the service logs. */
  onError: (home: Home, message: string) => void = () => undefined
  readonly #timers = new Timers()
  #ready: Array<Task> = []
  #budget = BUDGET

  constructor(dice: Dice) {
    this.dice = dice
    this.current = this.home("world")
  }

  home(name: string): Home {
    return { name, alive: true, stalledUntil: 0 }
  }

  get beginning(): number {
    return BEGINNING
  }

  /** Lets something go on when the dice say so. */
  soon(home: Home, run: () => void): Task {
    const task = { home, run, cancelled: false }
    this.#ready.push(task)
    return task
  }

  /** The same, not before some milliseconds have passed. */
  later(home: Home, millis: number, run: () => void): Task {
    const task = { home, run, cancelled: false }
    this.#timers.add(this.now + Math.max(0, millis), task)
    return task
  }

  note(event: string): void {
    this.trace.event(this.now - BEGINNING, event)
  }

  /** Does one thing; false when nothing is left to be done, ever. */
  step(): boolean {
    if (this.dice.chance(CREEPS)) this.now += this.dice.between(1, CREEP_MILLIS)
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
    if (task.cancelled || !task.home.alive) return
    this.steps++
    this.trace.step(this.steps, this.now - BEGINNING, index)
    this.#budget = this.dice.chance(SMALL_BUDGETS) ? this.dice.between(1, SMALL_BUDGET) : BUDGET
    const before = this.current
    this.current = task.home
    try {
      task.run()
    } finally {
      this.current = before
    }
  }

  /** One of those that are not stalled. */
  #choose(): number | undefined {
    if (this.#ready.length === 0) return undefined
    const first = this.dice.below(this.#ready.length)
    for (let offset = 0; offset < this.#ready.length; offset++) {
      const index = (first + offset) % this.#ready.length
      if (this.#ready[index]!.home.stalledUntil <= this.now) return index
    }
    return undefined
  }

  #wake(): void {
    for (let due = this.#timers.take(this.now); due !== undefined; due = this.#timers.take(this.now)) {
      if (due.home.alive && !due.cancelled) this.#ready.push(due)
    }
  }

  /** Lets time go on until something can be done. */
  #pass(): boolean {
    const stalls = this.#ready.map(({ home }) => home.stalledUntil)
    const next = Math.min(this.#timers.next, ...stalls)
    if (!Number.isFinite(next)) return false
    this.now = Math.max(this.now, next)
    return true
  }

  /** When something can be done at the earliest. */
  get next(): number {
    return this.#ready.length > 0 ? this.now : this.#timers.next
  }

  readonly #clock = (home: () => Home): Clock.Clock => {
    const nanos = () => BigInt(this.now) * NANOS_PER_MILLI
    return {
      currentTimeMillisUnsafe: () => this.now,
      currentTimeNanosUnsafe: nanos,
      monotonicTimeNanosUnsafe: nanos,
      currentTimeMillis: Effect.sync(() => this.now),
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        if (!Number.isFinite(millis)) return Effect.never
        return Effect.callback<void>((resume) => {
          const task = this.later(home(), millis, () => resume(Effect.void))
          return Effect.sync(() => void (task.cancelled = true))
        })
      }
    }
  }

  #scheduler(home: Home): Scheduler.Scheduler {
    return {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= this.#budget,
      makeDispatcher: () => ({
        scheduleTask: (run) => void this.soon(home, run),
        flush: () => undefined
      })
    }
  }

  #logger(home: Home) {
    return Logger.make(({ cause, logLevel, message }) => {
      if (logLevel !== "Error" && logLevel !== "Fatal") return
      const reasons = cause.reasons.map((reason) => reason._tag === "Die" ? String(reason.defect) : reason._tag)
      this.onError(home, [...[message].flat(), ...reasons].map(String).join(" "))
    })
  }

  /** What every effect of a home runs in: this clock, this scheduler, dice of its own. */
  context(home: Home): Context.Context<never> {
    const dice = this.dice.fork()
    const nextDoubleUnsafe = () => dice.next()
    const nextIntUnsafe = () => Math.floor((dice.next() * 2 - 1) * Number.MAX_SAFE_INTEGER)
    return Context.empty().pipe(
      Context.add(Clock.Clock, this.#clock(() => home)),
      Context.add(Scheduler.Scheduler, this.#scheduler(home)),
      Context.add(Random.Random, { nextDoubleUnsafe, nextIntUnsafe }),
      Context.add(Logger.CurrentLoggers, new Set([this.#logger(home)]))
    ) as Context.Context<never>
  }
}
