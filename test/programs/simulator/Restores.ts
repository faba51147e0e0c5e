/**
 * The whole service is set back to an older state of its database, in some runs once: by `admin restore`, or by hand
 * after a power cut, when the hosts respond later than the service. What was acknowledged since is gone, and the
 * machines of what was bought since remain.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { holdAfterRestore } from "#service/operations/DeploymentHold"
import { limitsLayer } from "../../support/limits.ts"
import { machineTag } from "#service/persistence/MachineTag"
import type { DeploymentHolds } from "#service/persistence/DeploymentHolds"
import { SavedStates } from "#service/persistence/SavedStates"
import type { Sequence } from "#service/persistence/Sql"
import { Transaction } from "#service/persistence/Transaction"
import type { Account } from "./CustomerOperations.ts"
import type { Invariants } from "./Invariants.ts"
import type { Payment, ReferenceModel } from "./ReferenceModel.ts"
import type { PortsOf, Replica } from "./Replica.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Store } from "./Storage.ts"
import type { SimulatedProcess } from "./Timers.ts"
import type { Upstream } from "./Upstream.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Share of runs with a restore. */
const RESTORES = 0.6
/** Longest time until the backup, and from there to the restore, in milliseconds: both within a run of a day. */
const BACKUP_MILLIS = 8 * HOUR
const AGE_MILLIS = 12 * HOUR
/** Until the service starts again, in milliseconds: calls on their way to the upstream have arrived by then. */
const DOWN_MILLIS = 5 * MINUTE
/** Longest time from there until the hosts respond after a power cut, in milliseconds. */
const HOSTS_MILLIS = 3 * HOUR

const STATE = "backup"

const TAGS = `SELECT ${machineTag("i")}, i.id FROM instances i`
/** Instances with tasks that the backup lacks, or has open. */
const TOUCHED = `SELECT ${machineTag("i")} FROM instances i WHERE EXISTS (SELECT 1 FROM tasks t
  WHERE t.instance_id = i.id AND (t.id > ?1 OR t.finished_at IS NULL OR t.finished_at > ?2))`

interface Backup {
  readonly lastTask: number
  readonly at: number
  readonly model: ReturnType<ReferenceModel["save"]>
  readonly invariants: ReturnType<Invariants["save"]>
  readonly tokens: ReadonlyArray<Account["tokens"]>
}

export interface Restore {
  /** The time of the backup, and the one at which the service starts again, in epoch milliseconds. */
  readonly since: number
  readonly until: number
  /** The payments that the backup lacks. */
  readonly lacking: ReadonlyArray<readonly [reference: string, Payment]>
}

interface Parts {
  readonly scheduler: VirtualScheduler
  readonly store: Store
  readonly upstream: Upstream
  readonly model: ReferenceModel
  readonly invariants: Invariants
  readonly replicas: ReadonlyArray<Replica>
  readonly accounts: ReadonlyArray<Account>
  readonly ground: PortsOf
  /** Called while the service is off. */
  readonly onRestored: (restore: Restore) => void
}

export class Restores {
  count = 0
  /** True from the moment at which the service is stopped until it is restored. */
  isUnderway = false
  /** Machines that no later comparison can expect to be as their instances say, by tag. */
  readonly touched = new Set<string>()
  readonly #parts: Parts
  readonly #random: SeededRandom
  readonly #proc: SimulatedProcess
  #backup: Backup | undefined
  #over = false

  constructor(parts: Parts) {
    const { scheduler } = this.#parts = parts
    this.#random = scheduler.random.fork()
    this.#proc = scheduler.proc("restores")
  }

  /** True if the machine of an instance is not as the restored database says. */
  isTouched(id: number): boolean {
    const tag = this.#parts.store.database.one<[string]>(`${TAGS} WHERE i.id = ?`)(id)?.[0]
    return tag !== undefined && this.touched.has(tag)
  }

  /** To be called once. */
  begin(): void {
    if (!this.#random.chance(RESTORES)) return
    this.#later(this.#random.below(BACKUP_MILLIS), () => this.#backUp())
  }

  /** No restore begins any more. */
  end(): void {
    this.#over = true
  }

  #later(millis: number, run: () => void): void {
    this.#parts.scheduler.later(this.#proc, millis, () => {
      if (this.#over && !this.isUnderway) return
      // Between two transactions.
      if (this.#parts.store.database.connection.isTransaction) this.#later(1, run)
      else run()
    })
  }

  /** Does something in the database, in a process of its own. */
  #run(work: Effect.Effect<void, unknown, DeploymentHolds | SavedStates | Transaction>, done: () => void): void {
    const { ground, scheduler, store } = this.#parts
    const proc = scheduler.proc("restore")
    store.sound.add(proc)
    const stored = Layer.provideMerge(SavedStates.layer, Layer.provide(ground(proc).storage, limitsLayer()))
    scheduler.soon(proc, () => {
      Effect.runForkWith(scheduler.context(proc))(Effect.provide(work, stored)).addObserver((exit) => {
        if (Exit.isFailure(exit)) throw new Error("a backup or a restore failed", { cause: Cause.squash(exit.cause) })
        proc.alive = false
        done()
      })
    })
  }

  #tags(): ReadonlyMap<string, number> {
    return new Map(this.#parts.store.database.all<[string, number]>(TAGS)())
  }

  #backUp(): void {
    const { accounts, invariants, model, scheduler, store } = this.#parts
    const backup = {
      lastTask: store.database.one<[number | null]>("SELECT max(id) FROM tasks")()![0] ?? 0,
      at: scheduler.now,
      model: model.save(),
      invariants: invariants.save(),
      tokens: accounts.map(({ tokens }) => [...tokens])
    }
    const saved = Effect.gen(function*() {
      yield* (yield* Transaction).run((yield* SavedStates).save({ name: STATE, savedAt: scheduler.now }))
    })
    this.#run(saved, () => {
      scheduler.note("a backup is made")
      this.#backup = backup
      this.#later(this.#random.below(AGE_MILLIS), () => this.#stop())
    })
  }

  #stop(): void {
    const { replicas, scheduler } = this.#parts
    this.isUnderway = true
    const until = scheduler.now + DOWN_MILLIS
    scheduler.note("the whole service is stopped for a restore")
    for (const replica of replicas) replica.switchOff(until)
    this.#later(DOWN_MILLIS - MINUTE, () => this.#restore(until))
  }

  #restore(until: number): void {
    const { invariants, store } = this.#parts
    const backup = this.#backup!
    invariants.isPaused = true
    const byHand = this.#random.chance(0.5)
    const before = this.#tags()
    const { all } = store.database
    for (const [tag] of all<[string]>(TOUCHED)(backup.lastTask, backup.at)) this.touched.add(tag)
    const lasts = all<Sequence>("SELECT name, seq FROM sqlite_sequence")()
    const restored = Effect.gen(function*() {
      const { run } = yield* Transaction
      const { restore } = yield* SavedStates
      yield* run(byHand ? restore(STATE) : Effect.andThen(restore(STATE), holdAfterRestore(STATE, lasts)))
    })
    this.#run(restored, () => this.#takeBack(backup, before, byHand, until))
  }

  #takeBack(backup: Backup, before: ReadonlyMap<string, number>, byHand: boolean, until: number): void {
    const { accounts, invariants, model, scheduler, upstream } = this.#parts
    const after = this.#tags()
    const lost = new Map([...before].filter(([tag]) => !after.has(tag)))
    upstream.lose(new Set(lost.keys()), !byHand)
    upstream.undeletable.clear()
    if (byHand) upstream.powerCut(until + this.#random.below(HOSTS_MILLIS))
    model.restore(backup.model, new Set(lost.values()), byHand)
    invariants.restore(backup.invariants)
    for (const [index, account] of accounts.entries()) {
      account.tokens = [...backup.tokens[index]!]
      for (const id of lost.values()) account.instances.delete(id)
    }
    this.count++
    this.isUnderway = false
    const age = Math.round((scheduler.now - backup.at) / MINUTE)
    scheduler.note(
      `restored ${byHand ? "by hand" : "by a command"} as ${age} minutes ago; lost: ${[...lost.keys()].join(" ")}`
    )
    this.#parts.onRestored({ until, since: backup.at, lacking: model.unpaid(backup.model) })
  }
}
