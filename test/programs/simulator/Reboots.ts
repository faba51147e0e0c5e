/** Hosts restart: planned, when each machine is shut down before, or not. All of their machines are off afterwards. */
import { machineTag } from "#service/persistence/MachineTag"
import { must } from "./ReferenceModel.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Store } from "./Storage.ts"
import type { SimulatedProcess } from "./Timers.ts"
import type { Upstream } from "./Upstream.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Longest time until the next one, in milliseconds. */
const PAUSE_MILLIS = 12 * HOUR
/** Longest time in which a host shuts its machines down, and in which it does not respond, in milliseconds. */
const SHUTDOWN_MILLIS = 4 * MINUTE
const AWAY_MILLIS = 15 * MINUTE

/** Machines that should run, and that nothing is being done with. */
const RUNNING = `SELECT ${machineTag("i")}, i.id, coalesce((SELECT max(id) FROM tasks), 0) FROM instances i
  WHERE i.lifecycle = 'active' AND i.power = 'on'
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.finished_at IS NULL)`

/** Instances that are active, and had no other tasks since than the service's own starts. */
const UNTOUCHED = `SELECT count(*) FROM instances i WHERE i.id = ?1 AND i.lifecycle = 'active' AND ${
  machineTag("i")
} = ?3 AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.id > ?2
    AND (t.actor <> 'system' OR t.type NOT IN ('start', 'backup_create')))`

export class Reboots {
  count = 0
  readonly #scheduler: VirtualScheduler
  readonly #random: SeededRandom
  readonly #store: Store
  readonly #upstream: Upstream
  readonly #proc: SimulatedProcess
  /** Those that ran before a restart, with the instance and the last task at that time. */
  readonly #ran = new Map<string, readonly [id: number, lastTask: number]>()
  #over = false

  constructor(scheduler: VirtualScheduler, store: Store, upstream: Upstream) {
    this.#scheduler = scheduler
    this.#random = scheduler.random.fork()
    this.#store = store
    this.#upstream = upstream
    this.#proc = scheduler.proc("reboots")
  }

  begin(): void {
    this.#scheduler.later(this.#proc, this.#random.below(PAUSE_MILLIS), () => {
      if (this.#over) return
      this.#reboot()
      this.begin()
    })
  }

  end(): void {
    this.#over = true
  }

  /** A restored database knows other tasks. */
  forget(): void {
    this.#ran.clear()
  }

  #reboot(): void {
    const nodes = this.#upstream.nodes()
    if (nodes.length === 0) return
    this.count++
    const node = this.#random.pick(nodes)
    const tags = new Set(this.#upstream.machinesOn(node))
    const { connection, all } = this.#store.database
    if (!connection.isTransaction) {
      for (const [tag, id, lastTask] of all<[string, number, number]>(RUNNING)()) {
        if (tags.has(tag)) this.#ran.set(tag, [id, lastTask])
      }
    }
    const planned = this.#random.chance(0.5)
    this.#scheduler.note(`${node} restarts${planned ? ", as planned" : ""}: ${[...tags].join(" ")}`)
    let off = this.#scheduler.now
    if (planned) {
      for (const tag of tags) {
        const at = this.#scheduler.now + this.#random.below(SHUTDOWN_MILLIS)
        off = Math.max(off, at)
        this.#scheduler.later(this.#proc, at - this.#scheduler.now, () => this.#upstream.powerOff(tag))
      }
    }
    this.#scheduler.later(this.#proc, off - this.#scheduler.now, () => {
      this.#upstream.goAway(node, this.#scheduler.now + this.#random.below(AWAY_MILLIS))
    })
  }

  /** Once everything is done: the machines that ran before a restart run, unless they were to end. */
  check(): void {
    const untouched = this.#store.database.one<[number]>(UNTOUCHED)
    for (const [tag, [id, lastTask]] of this.#ran) {
      if (untouched(id, lastTask, tag)![0] === 0) continue
      const power = this.#upstream.powerOf(tag)
      must(power === "on", "a host that restarts takes no machine down", () => `${tag} is ${power}`)
    }
  }
}
