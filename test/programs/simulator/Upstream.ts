/**
 * The system that runs the machines: the simulated driver over a database that no process of the
 * service can reach but by calls, which get lost, come late, or come twice. It never stops.
 */
import type { HostContents, Scope } from "#service/domain/Finding"
import { idInTag } from "#service/persistence/MachineTag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as LayerScope from "effect/Scope"
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
import { must, Violation } from "./ReferenceModel.ts"
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

const FOREIGN = "no machine of a customer is ever another's"

const CONTENTS = "SELECT tag, hostname, os, plan, node, address, iso, created_at, operation FROM simulated_machines"

/** Hosts keep the keys of operations with each machine: another one's key is not known. */
const ofMachine = (order: DriverRequest): DriverRequest => ({ ...order, key: `${order.tag}/${order.key}` })

export class Upstream {
  readonly proc: SimulatedProcess
  readonly database: Database.Database["Service"]
  /** The key under which each server was started, by tag. */
  readonly servers = new Map<string, string>()
  /** Tags that had a server too many. */
  readonly doubled = new Set<string>()
  /** Tags whose termination is rejected. */
  readonly undeletable = new Set<number>()
  /** Tags whose instances a restore has taken back. No call may name them. */
  readonly lost = new Set<string>()
  /** True if deployments wait for a comparison of the machines. */
  isHeld: () => boolean = () => false
  /** Machines that are off since their host was restarted. */
  readonly #leftOff = new Set<string>()
  /** Times until which hosts do not respond, in epoch milliseconds. */
  readonly #away = new Map<string, number>()
  #cutUntil = 0
  /** Connections to each host. */
  readonly #connections = new Map<string, number>()
  #kept: ReadonlyMap<string, string> = new Map()
  #waits = false
  /** The first that a call has shown. */
  violation: Violation | undefined
  readonly #seen = new Set<string>()
  readonly #scheduler: VirtualScheduler
  readonly #rates: () => FaultRates
  readonly #context: Context.Context<Driver>
  readonly #running: Context.Context<never>
  readonly #turns = Effect.runSync(Semaphore.make(1))

  constructor(scheduler: VirtualScheduler, scope: LayerScope.Scope, rates: () => FaultRates) {
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

  /** The instances of these tags are gone; `waits` if deployments wait since. */
  lose(tags: ReadonlySet<string>, waits: boolean): void {
    for (const tag of tags) this.lost.add(tag)
    this.#kept = this.#contents()
    this.#waits = waits
  }

  /** The machines of lost instances are as they were. */
  checkLost(): void {
    const now = this.#contents()
    for (const tag of this.lost) {
      const [was, is] = [this.#kept.get(tag), now.get(tag)]
      must(was === is, FOREIGN, () => `${tag} was ${was}, and is ${is}`)
    }
  }

  /** All but the power of each machine. */
  #contents(): ReadonlyMap<string, string> {
    return new Map(this.database.all<[string, ...Array<unknown>]>(CONTENTS)().map(([tag, ...all]) => [tag, all.join()]))
  }

  nodes(): ReadonlyArray<string> {
    return this.database.all<[string]>("SELECT DISTINCT node FROM simulated_machines ORDER BY node")().flat()
  }

  machinesOn(node: string): ReadonlyArray<string> {
    return this.database.all<[string]>("SELECT tag FROM simulated_machines WHERE node = ? ORDER BY tag")(node).flat()
  }

  powerOf(tag: string): string | undefined {
    return this.database.one<[string]>("SELECT power FROM simulated_machines WHERE tag = ?")(tag)?.[0]
  }

  powerOff(tag: string): void {
    this.database.one("UPDATE simulated_machines SET power = 'off' WHERE tag = ? RETURNING 1")(tag)
  }

  /** A host and its machines are off; it responds again from a time on. */
  goAway(node: string, until: number): void {
    for (const tag of this.machinesOn(node)) {
      this.powerOff(tag)
      this.#leftOff.add(tag)
    }
    this.#away.set(node, until)
    this.#connections.set(node, (this.#connections.get(node) ?? 0) + 1)
  }

  /** All hosts lose their power. */
  powerCut(until: number): void {
    this.#cutUntil = until
    for (const node of this.nodes()) this.goAway(node, until)
  }

  #isAway(node: string): boolean {
    const { now } = this.#scheduler
    return now < this.#cutUntil || now < (this.#away.get(node) ?? 0)
  }

  /** True if the host of a machine, or all of them, do not respond. */
  #isCut(tag: string): boolean {
    const node = this.database.one<[string]>("SELECT node FROM simulated_machines WHERE tag = ?")(tag)?.[0]
    return this.#isAway(node ?? "")
  }

  /** Of each host; a silent one lists nothing. */
  readonly #list = (scope: Scope) =>
    Effect.map(this.#driver.list(scope), (hosts) =>
      hosts.map((each): HostContents => {
        const connection = this.#connections.get(each.host) ?? 0
        if (this.#isAway(each.host)) return { ...each, machines: [], failure: "It does not respond.", connection }
        const machines = each.machines.map((machine) => ({
          ...machine,
          isLeftOff: machine.power === "off" && this.#leftOff.has(machine.tag)
        }))
        return { ...each, machines, connection }
      }))

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
    if (this.powerOf(tag) === "on") this.#leftOff.delete(tag)
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    if (type === "terminate") this.servers.delete(tag)
    if (type !== "provision") return
    const isEarly = this.#waits && this.isHeld() && [...this.lost].some((each) => this.servers.has(each))
    if (isEarly) this.#found("deployments wait for a comparison of the machines", tag)
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
    if (this.#isCut(order.tag)) return new Unavailable({ reason: "the host does not respond" })
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

  /** Within a process, where an exception would be a failure of its own. */
  #found(invariant: string, detail: string): void {
    this.violation ??= new Violation(invariant, detail)
  }

  #assertOwn(tag: string): void {
    if (this.lost.has(tag)) this.#found(FOREIGN, `a call for ${tag}, whose instance is gone`)
  }

  #asked<A, E>(caller: SimulatedProcess, tag: string, work: Effect.Effect<A, E>): Effect.Effect<A, E | Unavailable> {
    return this.#scheduler.random.chance(this.#rates().driver.unavailable) || this.#isCut(tag)
      ? this.#call(caller, Effect.fail(new Unavailable({ reason: "away" })))
      : this.#call(caller, work)
  }

  /** The driver as one process reaches it. */
  remote(caller: SimulatedProcess): Service {
    const driver = this.#driver
    const asked = <A, E>(tag: string, work: () => Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        this.#assertOwn(tag)
        return this.#asked(caller, tag, work())
      })
    return {
      name: driver.name,
      capabilities: driver.capabilities,
      submit: (order) =>
        Effect.suspend(() => {
          this.#assertOwn(order.tag)
          return this.#submitFrom(caller, ofMachine(order))
        }),
      poll: (order) => asked(order.tag, () => driver.poll(ofMachine(order))),
      find: (tag) => asked(tag, () => driver.find(tag)),
      list: (scope) => Effect.suspend(() => this.#call(caller, this.#list(scope))),
      inspect: (place) => asked(place.tag, () => driver.inspect(place)),
      metrics: (place, window) => asked(place.tag, () => driver.metrics(place, window))
    }
  }
}
