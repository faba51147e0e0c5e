/**
 * The provider in the test's process, on our own emulator: its ports note every call, fail on request, and can be cut
 * off as a killed process would be. The emulator's clock is stopped and moves by what the provider waits.
 */
import type { CreateInstance, Instance } from "#contract/Instance"
import type { Scope } from "#contract/Scope"
import type { Task } from "#contract/Monitoring"
import type { Snapshot } from "#contract/Snapshots"
import { type Api, connect } from "#provider/api/Api"
import { readSettings } from "#provider/Config"
import type { SettingName } from "#provider/HostWords"
import type { Host } from "#provider/engine/Host"
import type { Stacks, StackState } from "#provider/orphans/Orphans"
import { Session } from "#provider/session/Session"
import type { Vps } from "#sdk/client/Vps"
import { type RunningEmulator, startEmulator } from "#sdk/testing/index"
import { callName } from "./callName.ts"
import { Faults, noAnswer, notFound } from "./Faults.ts"
import { LazyClock } from "./LazyClock.ts"

/** ms after the purchase. */
export const DEPLOY_TIME = 60_000
/** ms; every other task takes less. */
export const TASK_TIME = 1_000
const START = "2026-03-01T12:00:00.000Z"
export const DAY = 86_400_000

/** The reason of a task that `failNext` made fail. */
export const UPSTREAM_REASON = "injected by the emulator (fault rule 1)"

/** One per worker, reset for each test: a reset takes 4 ms, a start 60. */
let emulator: Promise<RunningEmulator> | undefined

type Work = (...args: ReadonlyArray<unknown>) => Promise<unknown>

export class Environment {
  readonly #clock = new LazyClock(Date.parse(START), (ms) => this.emulator.clock.advance(ms))
  /** True while the service shows the order and the installed system. */
  shows = true
  /** True while the feed shows the request id of a task. */
  showsRequests = true
  /** The coupon's discount of every order; undefined: the service does not show it. */
  discount: number | undefined = 0
  readonly calls: Array<string> = []
  readonly lines: Array<string> = []
  readonly rdns = new Map<string, string>()
  readonly faults = new Faults()
  /** The result of `pulumi stack export`. */
  /** Other stacks by name; none can be listed where the state of this one cannot be exported. */
  readonly otherStates = new Map<string, StackState | Error>()
  /** The time from which on they were last listed. */
  listedSince: number | undefined
  state: StackState | Error = { source: "stack prod", held: [], pending: [] }
  readonly emulator: RunningEmulator
  /** Of account 1 and its first key; what it does is not noted. */
  readonly vps: Vps
  readonly api: Api
  #connected: Api
  #bought = 0
  readonly #overrides = new Map<number, Partial<Instance>>()

  private constructor(running: RunningEmulator) {
    this.emulator = running
    this.vps = running.client()
    this.#connected = this.#connect(running.apiKey)
    this.api = Object.fromEntries(
      Object.keys(this.#connected).map((operation) => [
        operation,
        (...args: ReadonlyArray<unknown>) => this.#attempt(operation as keyof Api, args)
      ])
    ) as unknown as Api
  }

  /** A service as new, in place of that of the test before. */
  static async make(): Promise<Environment> {
    emulator ??= startEmulator({
      seed: {
        wallet: 100,
        deploy: { mode: "after_ms", value: DEPLOY_TIME },
        clock: { now: START, frozen: true }
      }
    })
    const running = await emulator
    await running.reset()
    return new Environment(running)
  }

  /** Saves what the service holds; the result puts it back, in any number of tests. */
  async save(): Promise<() => Promise<void>> {
    const { now } = this
    await this.emulator.states.save("saved")
    return async () => {
      await this.emulator.states.restore("saved")
      this.#clock.reset(now)
      this.calls.length = 0
    }
  }

  /** For programs, which end when nothing is open any more. */
  static async stop(): Promise<void> {
    await (await emulator)?.stop()
  }

  /** With instance 1, deployed. */
  static async withInstance(body: CreateInstance = { service_id: 1 }): Promise<Environment> {
    const env = await Environment.make()
    await env.buy(body)
    await env.advance(DEPLOY_TIME)
    return env
  }

  /** A new process of the provider. */
  session(configured: Partial<Record<SettingName, string>> = {}, environment: Record<string, string> = {}): Session {
    return new Session(this.api, readSettings((name) => configured[name], { environment }), this.host, this.#stacks)
  }

  readonly #stacks: Stacks = {
    read: async (name) => {
      const state = this.otherStates.get(name) ?? this.state
      if (state instanceof Error) throw state
      return state
    },
    updatedSince: async (time) => {
      if (this.state instanceof Error) throw this.state
      this.listedSince = time
      return [...this.otherStates.keys()]
    }
  }

  readonly host: Host = {
    info: (message) => void this.lines.push(`info ${message}`),
    warn: (message) => void this.lines.push(`warning ${message}`),
    progress: (message) => void this.lines.push(`progress ${message}`),
    now: () => this.now,
    // A killed process ends here: it would retry until its timeout.
    sleep: (ms) => this.faults.isKilled ? Promise.reject(noAnswer()) : this.#clock.sleep(ms),
    checkpoint: () => Promise.resolve()
  }

  get now(): number {
    return this.#clock.now
  }

  async advance(ms: number): Promise<void> {
    this.#clock.pass(ms)
    await this.#clock.catchUp()
  }

  /** A purchase from elsewhere, or by an earlier run. */
  async buy(body: CreateInstance, key = `elsewhere-${++this.#bought}`): Promise<Instance> {
    return await this.vps.instances.create(body, { idempotencyKey: key })
  }

  /** Overrides the instance in lists and reads; undefined in place of an instance: it is gone. */
  override(id: number, what: Partial<Instance>): void {
    this.#overrides.set(id, what)
  }

  async wallet(): Promise<number> {
    return (await this.emulator.wallet.statement()).balance
  }

  /** The next task of this type fails. */
  async failNext(type: string): Promise<void> {
    await this.emulator.faults.add({ operation: `driver.${type}` as "driver.stop", driver: "rejected", count: 1 })
  }

  /** The next task of this type takes longer. */
  async delayNext(type: string, ms: number): Promise<void> {
    await this.emulator.faults.add({ operation: `driver.${type}` as "driver.stop", latency_ms: ms, count: 1 })
  }

  /** An operation of the SDK on instance 1 from elsewhere, and all that it begins. */
  async outside(work: (vps: Vps) => PromiseLike<unknown>): Promise<void> {
    await work(this.vps)
    await this.advance(TASK_TIME)
  }

  /** The feed of instance 1. */
  async tasks(): Promise<ReadonlyArray<Task>> {
    return (await this.vps.monitoring.tasks(1, { limit: 100 })).items
  }

  /** The names of the snapshots of instance 1. */
  async snapshots(): Promise<ReadonlyArray<string>> {
    return (await this.vps.snapshots.list(1)).map(({ name }) => name)
  }

  async addSnapshot(name: string): Promise<Snapshot> {
    const { snapshot } = await this.vps.snapshots.create(1, { name })
    await this.advance(TASK_TIME)
    return snapshot
  }

  async useScopes(scopes: ReadonlyArray<Scope>): Promise<void> {
    this.#connected = this.#connect((await this.emulator.keys.mint({ scopes })).api_key)
  }

  /** Another customer's key. */
  async useOtherAccount(): Promise<void> {
    const { api_key } = await this.emulator.accounts.create({ email: "owner-2@example.test", wallet: 100 })
    this.#connected = this.#connect(api_key)
  }

  useOwnAccount(): void {
    this.#connected = this.#connect(this.emulator.apiKey)
  }

  count(call: string): number {
    return this.calls.filter((one) => one.startsWith(call)).length
  }

  said(text: string): boolean {
    return this.lines.some((line) => line.includes(text))
  }

  #connect(key: string): Api {
    return connect(
      readSettings(() => undefined, { environment: { VPS_API_KEY: key, VPS_BASE_URL: this.emulator.url } })
    )
  }

  /** One call: noted, and failed when the test said so. */
  async #attempt(operation: keyof Api, args: ReadonlyArray<unknown>): Promise<unknown> {
    await this.#clock.catchUp()
    if (this.faults.isDead()) throw noAnswer()
    this.calls.push(callName(operation, args))
    const [id] = args
    const work = async () => {
      if (typeof id === "number" && this.#overrides.get(id)?.status === "deleted") throw notFound(id)
      return this.#shown(operation, await (this.#connected[operation] as Work)(...args))
    }
    const result = await this.faults.around(operation, work)
    if (operation === "rdns") this.rdns.set(String(args[1]), String(args[2]))
    return result
  }

  #shown(operation: keyof Api, result: unknown): unknown {
    if (operation === "get") return this.#instance(result as Instance)
    if (operation === "list") {
      return (result as ReadonlyArray<Instance>).map((one) => this.#instance(one)).filter(({ status }) =>
        status !== "deleted"
      )
    }
    if (operation === "create") {
      const created = result as Awaited<ReturnType<Api["create"]>>
      return { ...created, instance: this.#instance(created.instance) }
    }
    if (operation === "tasks" && !this.showsRequests) {
      const page = result as Awaited<ReturnType<Api["tasks"]>>
      return { ...page, items: (page.items ?? []).map((task) => ({ ...task, request_id: null })) }
    }
    return result
  }

  #instance(one: Instance): Instance {
    const { discount_amount: _, ...config } = JSON.parse(one.order.config ?? "{}") as Record<string, unknown>
    const shown = this.discount === undefined ? config : { ...config, discount_amount: this.discount }
    return {
      ...one,
      provider_data: this.shows ? one.provider_data ?? null : null,
      order: { ...one.order, config: this.shows ? JSON.stringify(shown) : null },
      ...this.#overrides.get(one.id)
    }
  }
}
