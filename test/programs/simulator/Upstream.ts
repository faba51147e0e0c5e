/**
 * The system that runs the machines: the simulated driver over a database that no process of the
 * service can reach but by calls, which get lost, come late, or come twice. It never stops.
 */
import { idInTag } from "#service/persistence/MachineTag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Database from "#service/persistence/sqlite/Database"
import * as Repositories from "#service/persistence/Repositories"
import * as WriteLane from "#service/persistence/sqlite/WriteLane"
import {
  Busy,
  Driver,
  type DriverRequest,
  type Fault,
  Rejected,
  type Status,
  Unavailable
} from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"
import { open } from "./Storage.ts"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"
import type { FaultRates } from "./FaultRates.ts"
import { limitsLayer } from "../../support/limits.ts"

type Service = Driver["Service"]

/** Longest way of a call or an answer, in milliseconds. */
const QUICK_MILLIS = 50
/** Of a slow one: longer than callers wait, and than a lease. */
const SLOW_MILLIS = 90_000

export class Upstream {
  readonly proc: SimulatedProcess
  readonly database: Database.Database["Service"]
  /** The key under which each server was started, by tag. */
  readonly servers = new Map<string, string>()
  /** Tags that had a server too many. */
  readonly doubled = new Set<string>()
  /** Tags whose termination is rejected. */
  readonly undeletable = new Set<number>()
  readonly #seen = new Set<string>()
  readonly #scheduler: VirtualScheduler
  readonly #rates: () => FaultRates
  readonly #context: Context.Context<Driver>
  readonly #running: Context.Context<never>
  readonly #turns = Effect.runSync(Semaphore.make(1))

  constructor(scheduler: VirtualScheduler, scope: Scope.Scope, rates: () => FaultRates) {
    this.#scheduler = scheduler
    this.#rates = rates
    this.proc = scheduler.proc("upstream")
    this.database = open(scope)
    this.#running = scheduler.context(this.proc)
    const layer = Simulated.layer.pipe(
      Layer.provide(limitsLayer()),
      Layer.provide(Layer.merge(Repositories.layer, WriteLane.layer)),
      Layer.provide(Layer.effectContext(Effect.sync(() => Database.over(this.database.connection))))
    )
    this.#context = Effect.runSyncWith(this.#running)(Layer.buildWithScope(layer, scope))
  }

  get #driver(): Service {
    return Context.get(this.#context, Driver)
  }

  /** One at a time, so that who started what stays clear. */
  #submit(order: DriverRequest): Effect.Effect<Status, Fault> {
    return this.#turns.withPermit(
      Effect.tap(this.#driver.submit(order), () => Effect.sync(() => this.#count(order)))
    )
  }

  #count({ key, operation: { type }, tag }: DriverRequest): void {
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    if (type === "terminate") this.servers.delete(tag)
    if (type !== "provision") return
    const started = this.servers.get(tag)
    if (started === undefined) this.servers.set(tag, key)
    else this.doubled.add(tag)
  }

  /** Executes a call on arrival; returns its outcome. */
  #do<A, E>(millis: number, work: Effect.Effect<A, E>, told: (exit: Exit.Exit<A, E>) => void) {
    return this.#scheduler.later(this.proc, millis, () => {
      Effect.runForkWith(this.#running)(work).addObserver(told)
    })
  }

  #way(): number {
    const { random } = this.#scheduler
    return random.chance(this.#rates().driver.slow) ? random.below(SLOW_MILLIS) : random.below(QUICK_MILLIS)
  }

  /** A call over the network and back. An interrupted call is executed all the same if it has arrived. */
  #call<A, E>(caller: SimulatedProcess, work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.callback<A, E>((resume) => {
      const sent = this.#do(
        this.#way(),
        work,
        (exit) => void this.#scheduler.later(caller, this.#way(), () => resume(exit))
      )
      return Effect.sync(() => void (sent.cancelled = true))
    })
  }

  #befall(order: DriverRequest): Fault | "lost" | "twice" | undefined {
    const { driver } = this.#rates()
    const { random } = this.#scheduler
    const drawn = random.next()
    let until = driver.busy
    if (drawn < until) return new Busy({ reason: "busy" })
    if (drawn < (until += driver.unavailable)) return new Unavailable({ reason: "away" })
    if (drawn < (until += driver.lostAnswer)) return "lost"
    if (drawn < (until += driver.duplicated)) return "twice"
    if (order.operation.type === "terminate" && this.undeletable.has(idInTag(order.tag)!)) {
      return new Rejected({ reason: "locked" })
    }
    // Otherwise a teardown is never rejected: that would be an operator's case, not the service's. Nor is a request
    // that was accepted before: its key stands for what has been done.
    const refusable = order.operation.type !== "terminate" && !this.#seen.has(order.key)
    return refusable && drawn < until + driver.rejected ? new Rejected({ reason: "no" }) : undefined
  }

  #submitFrom(caller: SimulatedProcess, order: DriverRequest): Effect.Effect<Status, Fault> {
    const fault = this.#befall(order)
    const word = fault === undefined ? "" : `: ${typeof fault === "string" ? fault : fault._tag}`
    this.#scheduler.note(`${caller.name} driver ${order.tag} ${order.key}${word}`)
    if (fault === undefined) return this.#call(caller, this.#submit(order))
    if (fault === "twice") {
      this.#do(this.#way(), this.#submit(order), () => undefined)
      return this.#call(caller, this.#submit(order))
    }
    if (fault !== "lost") return this.#call(caller, Effect.fail(fault))
    const lost = new Unavailable({ reason: "the answer was lost" })
    return this.#call(caller, Effect.andThen(Effect.exit(this.#submit(order)), Effect.fail(lost)))
  }

  #asked<A, E>(caller: SimulatedProcess, work: Effect.Effect<A, E>): Effect.Effect<A, E | Unavailable> {
    return this.#scheduler.random.chance(this.#rates().driver.unavailable)
      ? this.#call(caller, Effect.fail(new Unavailable({ reason: "away" })))
      : this.#call(caller, work)
  }

  /** The driver as one process reaches it. */
  remote(caller: SimulatedProcess): Service {
    const driver = this.#driver
    const asked = <A, E>(work: () => Effect.Effect<A, E>) => Effect.suspend(() => this.#asked(caller, work()))
    return {
      name: driver.name,
      capabilities: driver.capabilities,
      submit: (order) => Effect.suspend(() => this.#submitFrom(caller, order)),
      poll: (order) => asked(() => driver.poll(order)),
      find: (tag) => asked(() => driver.find(tag)),
      list: driver.list,
      inspect: (place) => asked(() => driver.inspect(place)),
      metrics: (place, window) => asked(() => driver.metrics(place, window))
    }
  }
}
