/** One run: a world, its service, its customers and its trouble, from the first moment to the last check. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { listUnreconciledTasks } from "#service/admin/commands/UnreconciledTasks"
import { retryTask } from "#service/admin/commands/Tasks"
import type * as App from "#service/App"
import { Driver } from "#service/provisioning/Driver"
import * as Agreement from "./Agreement.ts"
import { type Account, askAgain, live, type Surroundings } from "./Customers.ts"
import { Dice } from "./Dice.ts"
import { within } from "./Globals.ts"
import { Invariants } from "./Invariants.ts"
import { Network } from "./Network.ts"
import { News } from "./News.ts"
import { must, Oracle, Violation } from "./Oracle.ts"
import { paceOf } from "./Pace.ts"
import { production, Replica } from "./Replica.ts"
import { settle, storage } from "./Settlers.ts"
import { open, Store } from "./Storage.ts"
import { Trouble } from "./Trouble.ts"
import { Upstream } from "./Upstream.ts"
import { CALM } from "./Weather.ts"
import { World } from "./World.ts"

export interface Options {
  readonly seed: number
  /** How long customers go on, in hours of the world. */
  readonly hours: number
  /** Puts something broken in the place of something sound: how the simulator itself is tested. */
  readonly plant?: ((borders: App.Borders) => App.Borders) | undefined
  /** Hears of everything that happens. */
  readonly onEvent?: ((line: string) => void) | undefined
}

export interface Report {
  readonly seed: number
  /** The same for the same seed and the same service. */
  readonly trace: string
  readonly steps: number
  readonly hours: number
  readonly answers: number
  readonly looks: number
  readonly orders: number
  readonly killed: number
  readonly stopped: number
  readonly stalled: number
}

const HOUR = 3_600_000
const MINUTE = 60_000

/** How long everything may take to be done once nothing fails any more: the patience with the upstream, and a lease. */
const SETTLE_MILLIS = 2 * HOUR
/** Steps in which time has to go on. */
const STANDSTILL_STEPS = 100_000
/** Rounds in which an operator begins anew what was given up. */
const TIDY_ROUNDS = 12

/** A run that found something, with all that is needed to look at it. */
export class Failed extends Error {
  readonly invariant: string
  constructor({ hours, seed }: Options, world: World, violation: Violation) {
    super([
      `seed ${seed} broke "${violation.invariant}" in step ${world.steps}: ${violation.detail}`,
      "the last events:",
      ...world.trace.last.map((line) => `  ${line}`),
      `again: npm run simulate -- --seed ${seed} --hours ${hours}`
    ].join("\n"))
    this.invariant = violation.invariant
  }
}

class Simulation {
  readonly world: World
  readonly #options: Options
  readonly #oracle = new Oracle()
  readonly #store: Store
  readonly #upstream: Upstream
  readonly #replicas: ReadonlyArray<Replica>
  readonly #trouble: Trouble
  readonly #news: News
  readonly #network: Network
  readonly #invariants: Invariants
  readonly #accounts: ReadonlyArray<Account>
  #used = 0
  #acting = true
  /** What a customer met, in a fiber of its own. */
  #failure: unknown

  constructor(options: Options, world: World, scope: Scope.Scope) {
    this.#options = options
    this.world = world
    const { dice } = world
    let trouble: Trouble | undefined
    const weather = () => trouble?.weather ?? CALM
    this.#store = new Store(world, open(scope), weather)
    this.#upstream = new Upstream(world, scope, weather)
    this.#news = new News(world, weather)
    const names = dice.pick([["one"], ["one", "two"], ["one", "two", "three"]])
    this.#replicas = names.map((name) => new Replica(world, name, (home) => this.#ground(home)))
    this.#accounts = settle(world, this.#store)
    trouble = new Trouble(world, this.#replicas)
    this.#trouble = trouble
    this.#network = new Network(world, this.#replicas, weather)
    this.#network.onAnswer = (asked, answer, at) => {
      this.#oracle.answered(asked, answer, at)
      const blames = answer.status === 503 && /database/.test(String(answer.body?.detail))
      must(!blames || at < this.#trouble.soundSince, "a database that works is not blamed", () => asked.path)
      const named = /^\/instances\/(\d+)$/.exec(asked.path)
      if (named !== null && answer.status === 404) this.#invariants.missing(Number(named[1]))
    }
    this.#invariants = new Invariants(this.#store, this.#upstream, this.#oracle)
    world.onError = (home, message) => {
      world.note(`${home.name} logs: ${message}`)
      must(!/defect|cannot be ended|cannot be carried on/i.test(message), "the service meets no defect", () => message)
    }
  }

  #ground(home: Parameters<Store["view"]>[0]): App.Borders {
    const upstream = Layer.effect(Driver, Effect.succeed(this.#upstream.remote(home))).pipe(
      Layer.provideMerge(production.upstream)
    )
    const stored = storage(this.#store.view(home))
    // A process that has the database for itself is not told anything; several of them are replicas.
    const shared = this.#replicas.length > 1 ? Layer.merge(stored, this.#news.layer(home)) : stored
    const borders = { storage: shared, upstream, mailer: production.mailer }
    return this.#options.plant?.(borders) ?? borders
  }

  /** Goes on until something is so; false when it is not so in time. */
  #until(moment: number, done: () => boolean = () => false): boolean {
    let [stood, at] = [0, this.world.now]
    while (this.world.now < moment) {
      if (done()) return true
      this.#trouble.strike()
      must(this.world.step(), "somebody goes on", () => "nothing is left to do, although customers are there")
      this.#invariants.check()
      if (this.#failure !== undefined) throw this.#failure
      stood = this.world.now === at ? stood + 1 : 0
      at = this.world.now
      must(stood < STANDSTILL_STEPS, "time goes on", () => `${stood} steps without a millisecond`)
    }
    return done()
  }

  /** Lets each customer do something; the answer tells when all have done it. */
  #customers(does: (around: Surroundings, account: Account) => Effect.Effect<void>): () => boolean {
    let left = this.#accounts.length
    for (const account of this.#accounts) {
      const around = {
        world: this.world,
        dice: this.world.dice.fork(),
        network: this.#network,
        oracle: this.#oracle,
        fresh: () => ++this.#used,
        gone: (id: number) => this.#invariants.isDeleted(id)
      }
      const running = Effect.runForkWith(this.world.context(this.#network.home))
      this.world.soon(this.#network.home, () => {
        running(does(around, account)).addObserver((exit) => {
          left--
          if (Exit.isFailure(exit)) this.#failure ??= Cause.squash(exit.cause)
        })
      })
    }
    return () => left === 0
  }

  /** An operator begins anew what was given up, until nothing is left over. */
  #tidyUp(): void {
    for (let round = 0; round < TIDY_ROUNDS; round++) {
      let left: ReadonlyArray<{ readonly id: number; readonly instance_id: number }> | undefined
      const replica = this.#replicas[0]!
      replica.inside<typeof left, never>(listUnreconciledTasks({ limit: 1_000 }), (exit) => {
        if (exit !== "reset" && Exit.isSuccess(exit)) left = exit.value
      })
      this.#until(this.world.now + MINUTE, () => left !== undefined)
      if (left?.length === 0) return
      // One instance may have several of them, one after the other.
      const first = new Map(left!.map(({ id, instance_id }) => [instance_id, id]))
      for (const id of first.values()) replica.inside(retryTask({ id }), () => undefined)
      this.#until(this.world.now + MINUTE)
      this.#quieten()
    }
    must(false, "what was given up can be begun anew", () => `something is left after ${TIDY_ROUNDS} rounds`)
  }

  #quieten(): void {
    const bound = this.world.now + SETTLE_MILLIS
    const quiet = this.#until(bound, () => this.#invariants.open === 0)
    must(quiet, "everything is done in the end", () => `${this.#invariants.open} tasks are open ${SETTLE_MILLIS} ms on`)
  }

  run(): Report {
    const { world } = this
    const { hours, seed } = this.#options
    const pace = paceOf(world.dice, hours)
    this.#customers((around, account) => live(around, account, pace, () => this.#acting))
    for (const replica of this.#replicas) replica.start()
    this.#trouble.begin()
    const began = world.now
    this.#until(began + hours * HOUR)
    this.#trouble.end()
    this.#acting = false
    const back = this.#until(world.now + HOUR, () => this.#replicas.every(({ listens }) => listens))
    must(back, "processes come back", () => this.#replicas.map(({ listens, name }) => `${name}: ${listens}`).join())
    // What was on its way is let arrive.
    this.#until(world.now + 10 * MINUTE)
    this.#quieten()
    this.#tidyUp()
    const asked = this.#customers(askAgain)
    must(this.#until(world.now + HOUR, asked), "customers are answered", () => "some wait for an hour")
    this.#invariants.look(true)
    Agreement.check(this.#store, this.#upstream)
    return {
      seed,
      trace: world.trace.digest(),
      steps: world.steps,
      hours: (world.now - began) / HOUR,
      answers: this.#oracle.answers,
      looks: this.#invariants.looks,
      orders: this.#oracle.instances.size,
      ...this.#trouble.counts
    }
  }
}

/** Runs a seed to its end; fails with `Failed` when it breaks an invariant. */
export const simulate = (options: Options): Report => {
  const world = new World(new Dice(options.seed))
  world.trace.onEvent = options.onEvent
  const scope = Scope.makeUnsafe()
  try {
    return within(world, () => new Simulation(options, world, scope).run())
  } catch (cause) {
    if (cause instanceof Violation) throw new Failed(options, world, cause)
    throw cause
  } finally {
    Effect.runSync(Scope.close(scope, Exit.void))
  }
}
