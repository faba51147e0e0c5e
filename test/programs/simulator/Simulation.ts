/** One run: scheduler, service, customers and faults, from the first step to the last check. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { COMMANDS } from "#service/admin/Commands"
import { listUnreconciledTasks, retryTask } from "#service/admin/commands/Tasks"
import type * as App from "#service/App"
import { monthsAfter } from "#service/domain/Period"
import { Mailer } from "#service/mail/Mailer"
import { NewTagSuffix } from "#service/persistence/MachineTag"
import { Driver } from "#service/provisioning/Driver"
import * as Agreement from "./Consistency.ts"
import type { Account, Surroundings } from "./CustomerOperations.ts"
import { askAgain, buyLost, enterAgain, live } from "./Customers.ts"
import { decide } from "./Operator.ts"
import { Failed, type Options, type Report } from "./Report.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { within } from "./Globals.ts"
import { Invariants } from "./Invariants.ts"
import { Network } from "./Network.ts"
import { NotificationBus } from "./NotificationBus.ts"
import { must, ReferenceModel, Violation } from "./ReferenceModel.ts"
import { type LoadProfile, loadProfileOf } from "./LoadProfile.ts"
import { Replica } from "./Replica.ts"
import { createInitialState, SPARE_ACCOUNT, storage } from "./InitialState.ts"
import { open, Store } from "./Storage.ts"
import { ClockJumps } from "./ClockJumps.ts"
import { FaultInjector } from "./FaultInjector.ts"
import { Reboots } from "./Reboots.ts"
import { type Restore, Restores } from "./Restores.ts"
import type { SimulatedProcess } from "./Timers.ts"
import { Upstream } from "./Upstream.ts"
import { CALM } from "./FaultRates.ts"
import { VirtualScheduler } from "./VirtualScheduler.ts"

const HOUR = 3_600_000
const MINUTE = 60_000

/** Time limit for all work once nothing fails any more: the retry budget for the upstream, and a lease. */
const SETTLE_MILLIS = 2 * HOUR
/** Steps in which time has to continue. */
const STANDSTILL_STEPS = 100_000
/** Rounds in which an operator retries abandoned work. */
const TIDY_ROUNDS = 12

/** Longest time until an operator notices that deployments wait. */
const CONFIRM_MILLIS = 3 * HOUR

/** Longest time that a mail takes: customers and operators act meanwhile. */
const MAIL_MILLIS = MINUTE

const slowMailer = (random: SeededRandom) =>
  Layer.succeed(Mailer, { send: () => Effect.suspend(() => Effect.sleep(random.below(MAIL_MILLIS))) })

/** Moves the paid month of an idle instance that was not resized: its charges do not mention the month's dates. */
const BRING_FORWARD =
  `UPDATE instances SET created_at = created_at + ?2 - coalesce(paid_from, created_at), paid_from = ?2, expires_at = ?3
  WHERE id = ?1 AND lifecycle = 'active' AND NOT EXISTS (SELECT 1 FROM tasks t
    WHERE t.instance_id = instances.id AND (t.finished_at IS NULL OR t.type = 'resize'))`

class Simulation {
  readonly scheduler: VirtualScheduler
  readonly #options: Options
  readonly #model = new ReferenceModel()
  readonly #store: Store
  readonly #upstream: Upstream
  #tags = 0
  readonly #replicas: ReadonlyArray<Replica>
  readonly #faults: FaultInjector
  readonly #jumps: ClockJumps
  readonly #reboots: Reboots
  readonly #restores: Restores
  readonly #bus: NotificationBus
  readonly #network: Network
  readonly #invariants: Invariants
  readonly #accounts: ReadonlyArray<Account>
  readonly #profile: LoadProfile
  readonly #operator: SimulatedProcess
  #used = 0
  #acting = true
  /** A failure that a customer found, in a fiber of its own. */
  #failure: unknown

  constructor(options: Options, scheduler: VirtualScheduler, scope: Scope.Scope) {
    this.#options = options
    this.scheduler = scheduler
    const { random } = scheduler
    this.#profile = loadProfileOf(random, options.hours)
    this.#operator = scheduler.proc("operator")
    let faults: FaultInjector | undefined
    const rates = () => faults?.rates ?? CALM
    this.#store = new Store(scheduler, open(scope), rates)
    this.#upstream = new Upstream(scheduler, scope, rates)
    this.#bus = new NotificationBus(scheduler, rates)
    const names = random.pick([["one"], ["one", "two"], ["one", "two", "three"]])
    this.#replicas = names.map((name) => new Replica(scheduler, name, (proc) => this.#ground(proc)))
    this.#accounts = createInitialState(scheduler, this.#store)
    for (const [id, price] of this.#store.database.all<[number, number]>("SELECT id, price FROM plans")()) {
      this.#model.announce(id, price)
    }
    faults = new FaultInjector(scheduler, this.#replicas)
    this.#faults = faults
    this.#jumps = new ClockJumps(scheduler, this.#replicas)
    this.#network = new Network(scheduler, this.#replicas, rates)
    this.#network.onAnswer = (asked, answer, at) => {
      this.#model.answered(asked, answer, at)
      const blames = answer.status === 503 && /database/.test(String(answer.body?.detail))
      must(!blames || at < this.#faults.soundSince, "a database that works is not blamed", () => asked.path)
      const named = /^\/instances\/(\d+)$/.exec(asked.path)
      if (named !== null && answer.status === 404) this.#invariants.missing(Number(named[1]))
    }
    this.#invariants = new Invariants(this.#store, this.#upstream, this.#model, () => scheduler.now)
    this.#model.isFailed = (id) => this.#invariants.isFailed(id)
    this.#upstream.isHeld = () => this.#invariants.isHeld
    this.#reboots = new Reboots(scheduler, this.#store, this.#upstream)
    this.#restores = new Restores({
      scheduler,
      store: this.#store,
      upstream: this.#upstream,
      model: this.#model,
      invariants: this.#invariants,
      replicas: this.#replicas,
      accounts: this.#accounts,
      ground: (proc) => this.#ground(proc),
      onRestored: (restore) => this.#goOn(restore)
    })
    scheduler.onError = (proc, message) => {
      scheduler.note(`${proc.name} logs: ${message}`)
      must(
        !/defect|cannot be ended|job failed for instance/i.test(message),
        "the service meets no defect",
        () => message
      )
    }
  }

  #ground(proc: Parameters<Store["view"]>[0]): App.ExternalPorts {
    const driver = Layer.succeed(Driver, this.#upstream.remote(proc))
    // Runs of one seed are the same.
    const tags = Layer.succeed(NewTagSuffix, () => (++this.#tags).toString(16).padStart(10, "0"))
    const stored = storage(this.#store.view(proc))
    // A process alone on its database receives no notifications; several are replicas.
    const shared = this.#replicas.length > 1 ? Layer.merge(stored, this.#bus.layer(proc)) : stored
    const ports = { storage: shared, driver, mailer: slowMailer(this.scheduler.random.fork()) }
    const planted = this.#options.plant?.(ports) ?? ports
    return { ...planted, storage: Layer.provide(planted.storage, tags) }
  }

  /** Continues until something is so; false when it is not so in time. */
  #until(moment: number, done: () => boolean = () => false): boolean {
    let [stood, at] = [0, this.scheduler.now]
    while (this.scheduler.now < moment) {
      if (done()) return true
      this.#faults.strike()
      must(this.scheduler.step(), "somebody goes on", () => "nothing is left to do, although customers are there")
      this.#invariants.check()
      if (this.#failure !== undefined) throw this.#failure
      stood = this.scheduler.now === at ? stood + 1 : 0
      at = this.scheduler.now
      must(stood < STANDSTILL_STEPS, "time goes on", () => `${stood} steps without a millisecond`)
    }
    return done()
  }

  /** Lets each customer act; the result completes when all have. */
  #customers(does: (around: Surroundings, account: Account) => Effect.Effect<void>): () => boolean {
    let left = this.#accounts.length
    for (const account of this.#accounts) {
      const around = {
        scheduler: this.scheduler,
        random: this.scheduler.random.fork(),
        network: this.#network,
        model: this.#model,
        fresh: () => ++this.#used,
        gone: (id: number) => this.#invariants.isOver(id),
        spare: SPARE_ACCOUNT,
        setDeletable: (id: number, deletable: boolean) => {
          this.#upstream.undeletable[deletable ? "delete" : "add"](id)
        },
        bringForward: (id: number, left: number) => this.#bringForward(id, left)
      }
      const running = Effect.runForkWith(this.scheduler.context(this.#network.proc))
      this.scheduler.soon(this.#network.proc, () => {
        running(does(around, account)).addObserver((exit) => {
          left--
          if (Exit.isFailure(exit)) this.#failure ??= Cause.squash(exit.cause)
        })
      })
    }
    return () => left === 0
  }

  #bringForward(id: number, left: number): boolean {
    const { connection, one } = this.#store.database
    const end = one<[number | null]>("SELECT expires_at FROM instances WHERE id = ?")(id)?.[0]
    const sooner = this.scheduler.now + left
    if (connection.isTransaction || end == null || end <= sooner) return false
    // Months differ in length: a period that isn't a calendar month would never be stored by the service.
    const start = monthsAfter(sooner, -1)
    if (monthsAfter(start, 1) !== sooner) return false
    return Number(connection.prepare(BRING_FORWARD).run(id, start, sooner).changes) > 0
  }

  /** After a restore, customers begin again, and an operator does what the guide says. */
  #goOn({ lacking, since, until }: Restore): void {
    this.#reboots.forget()
    this.#network.renew()
    this.#live()
    const off = until - this.scheduler.now
    const [first] = this.#accounts
    this.#customers((around, account) =>
      Effect.andThen(
        Effect.sleep(off),
        Effect.all([buyLost(around, account, since), ...account === first ? [enterAgain(around, lacking)] : []], {
          concurrency: 2,
          discard: true
        })
      )
    )
    this.#jumps.confirmAfter(until)
    this.#confirmMachines(until)
  }

  /** An operator looks every few hours, and confirms the machines if deployments wait. */
  #confirmMachines(from: number): void {
    const { random } = this.scheduler
    this.scheduler.later(this.#operator, from - this.scheduler.now + random.below(CONFIRM_MILLIS), () => {
      if (this.#invariants.isHeld) this.#confirm()
      if (this.#acting) this.#confirmMachines(this.scheduler.now)
    })
  }

  #confirm(): void {
    this.scheduler.random.pick(this.#replicas).inside<unknown, unknown>(
      Effect.andThen(COMMANDS["machines.audit"].run({ repair: false }), COMMANDS["machines.confirm"].run({})),
      (exit) => this.scheduler.note(`machines confirm -> ${exit === "reset" ? exit : exit._tag}`)
    )
  }

  #live(): void {
    this.#customers((around, account) => live(around, account, this.#profile, () => this.#acting))
  }

  /** An operator retries abandoned work until none is left. */
  #tidyUp(): void {
    for (let round = 0; round < TIDY_ROUNDS; round++) {
      let left: ReadonlyArray<{ readonly id: number; readonly instance_id: number }> | undefined
      const replica = this.#replicas[0]!
      replica.inside<typeof left, never>(listUnreconciledTasks({ limit: 1_000 }), (exit) => {
        if (exit === "reset" || Exit.isFailure(exit)) return
        // An instance without a machine since a restore is an operator's to refund.
        left = exit.value!.filter(({ instance_id }) => !this.#restores.isTouched(instance_id))
      })
      this.#until(this.scheduler.now + MINUTE, () => left !== undefined)
      if (left?.length === 0) return
      // One instance may have several of them, one after the other.
      const first = new Map(left!.map(({ id, instance_id }) => [instance_id, id]))
      for (const id of first.values()) replica.inside(retryTask({ id }), () => undefined)
      this.#until(this.scheduler.now + MINUTE)
      this.#quieten()
    }
    must(false, "what was given up can be begun anew", () => `something is left after ${TIDY_ROUNDS} rounds`)
  }

  #quieten(): void {
    const bound = this.scheduler.now + SETTLE_MILLIS
    const quiet = this.#until(bound, () => this.#invariants.open === 0)
    must(quiet, "everything is done in the end", () => `${this.#invariants.open} tasks are open ${SETTLE_MILLIS} ms on`)
  }

  run(): Report {
    const { scheduler } = this
    const { hours, seed } = this.#options
    this.#live()
    for (const replica of this.#replicas) replica.start()
    this.#faults.begin()
    this.#jumps.begin()
    this.#reboots.begin()
    this.#restores.begin()
    this.#faults.planOutage((until) => {
      this.#invariants.switchedOff(until)
      this.#jumps.confirmAfter(until)
    })
    const began = scheduler.now
    const isOver = () => scheduler.now >= began + hours * HOUR + this.#faults.outageMillis
    this.#until(Number.POSITIVE_INFINITY, isOver)
    this.#restores.end()
    this.#until(Number.POSITIVE_INFINITY, () => !this.#restores.isUnderway)
    this.#faults.end()
    this.#reboots.end()
    this.#upstream.undeletable.clear()
    this.#jumps.end()
    this.#acting = false
    const back = this.#until(scheduler.now + HOUR, () => this.#replicas.every(({ listens }) => listens))
    must(back, "processes come back", () => this.#replicas.map(({ listens, name }) => `${name}: ${listens}`).join())
    // Lets messages in transit arrive, and every process check its clock.
    this.#until(scheduler.now + 30 * MINUTE)
    this.#jumps.confirm()
    // Hosts respond again, and an audit has compared their machines.
    this.#until(scheduler.now + (this.#restores.count > 0 ? 4 * HOUR : HOUR))
    if (this.#invariants.isHeld) this.#confirm()
    this.#until(scheduler.now + 30 * MINUTE)
    const decided = this.#customers((around) => decide(around))
    must(this.#until(scheduler.now + HOUR, decided), "held orders are decided", () => "some wait for an hour")
    this.#quieten()
    this.#tidyUp()
    const asked = this.#customers(askAgain)
    must(this.#until(scheduler.now + HOUR, asked), "customers are answered", () => "some wait for an hour")
    this.#invariants.look(true)
    Agreement.check(this.#store, this.#upstream, this.#restores.touched)
    this.#upstream.checkLost()
    this.#reboots.check()
    return {
      seed,
      trace: scheduler.trace.digest(),
      steps: scheduler.steps,
      hours: (scheduler.now - began) / HOUR,
      answers: this.#model.answers,
      looks: this.#invariants.looks,
      orders: this.#model.instances.size,
      jumped: this.#jumps.count,
      restored: this.#restores.count,
      rebooted: this.#reboots.count,
      ...this.#faults.counts
    }
  }
}

/** Runs a seed to its end; fails with `Failed` when it breaks an invariant. */
export const simulate = (options: Options): Report => {
  const scheduler = new VirtualScheduler(new SeededRandom(options.seed))
  scheduler.trace.onEvent = options.onEvent
  const scope = Scope.makeUnsafe()
  try {
    return within(scheduler, () => new Simulation(options, scheduler, scope).run())
  } catch (cause) {
    if (cause instanceof Violation) throw new Failed(options, scheduler, cause)
    throw cause
  } finally {
    Effect.runSync(Scope.close(scope, Exit.void))
  }
}
