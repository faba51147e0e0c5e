/**
 * The engine's work for each registered resource: its order of calls. Where this and the real engine differ,
 * the real one is right: `probe/table.ts` holds them against each other.
 */
import { Semaphore } from "../Semaphore.ts"
import type { Goal, Registered } from "./Monitor.ts"
import type { StoredResource } from "./State.ts"
import { type Context, type Planned, Steps, type Summary } from "./Steps.ts"
import { secretsIn, UNKNOWN, type Values, wrapAll } from "./Wire.ts"

/** As many steps at once as the real engine takes on a small machine. */
export const PARALLEL = 8
const ROOT_TYPE = "pulumi:pulumi:Stack"

type Step = () => Promise<Registered>

/** A failure is said where it happens; after it nothing new is begun, unless the run continues in spite of errors. */
export class Deployment {
  readonly summary: Summary = { create: 0, update: 0, replace: 0, delete: 0, same: 0 }
  readonly #context: Context
  readonly #steps: Steps
  readonly #gate: Semaphore
  readonly #seen = new Set<string>()
  readonly #replaced = new Set<string>()
  readonly #broken = Promise.withResolvers<void>()
  /** `check` and `diff` run one resource at a time. */
  #planning: Promise<unknown> = Promise.resolve()
  #failures = 0
  readonly #running = new Set<Promise<unknown>>()

  constructor(context: Context) {
    this.#context = context
    this.#steps = new Steps(context, this.summary)
    this.#gate = new Semaphore(context.options.parallel ?? PARALLEL)
  }

  get failed(): boolean {
    return this.#failures > 0
  }

  /** Resolves when a failure stops the deployment and what was under way has ended. */
  get stopped(): Promise<void> {
    return this.#stop()
  }

  async #stop(): Promise<void> {
    await this.#broken.promise
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  get #stopping(): boolean {
    return this.failed && this.#context.options.continueOnError !== true
  }

  fail(): void {
    this.#failures++
    if (this.#stopping) this.#broken.resolve()
  }

  /** Lets a step run when there is room for it; after a failure it never does. */
  async step<A>(work: () => Promise<A>): Promise<A> {
    return await this.#gate.pass(() => this.#unlessStopping(work))
  }

  #unlessStopping<A>(work: () => Promise<A>): Promise<A> {
    return this.#stopping ? new Promise(() => undefined) : this.#watched(work)
  }

  async #watched<A>(work: () => Promise<A>): Promise<A> {
    const running = work()
    const ended = running.then(() => undefined, () => this.fail())
    this.#running.add(ended)
    try {
      return await running
    } finally {
      await ended
      this.#running.delete(ended)
    }
  }

  urnOf({ name, parent, type }: Goal): string {
    const { project, stack } = this.#context
    const above = parent.split("::")[2] ?? ""
    const prefix = above === "" || above === ROOT_TYPE ? "" : `${above}$`
    return `urn:pulumi:${stack}::${project}::${prefix}${type}::${name}`
  }

  async register(goal: Goal): Promise<Registered> {
    const urn = this.urnOf(goal)
    if (goal.type === ROOT_TYPE) return { urn, id: "", outputs: {} }
    try {
      const planned = this.#planning.then(() => this.#unlessStopping(() => this.#plan(urn, goal)))
      this.#planning = planned.catch(() => undefined)
      const step = await planned
      if (!goal.custom) return await step()
      return await this.step(step)
    } catch (error) {
      if (this.#context.options.continueOnError !== true) return await new Promise(() => undefined)
      this.#context.say(`error: ${(error as Error).message}`)
      return { urn, id: "", outputs: {}, failed: true }
    }
  }

  /** Serial part: `check` and `diff`. Answers the step, which may run beside others. */
  async #plan(urn: string, goal: Goal): Promise<Step> {
    const old = this.#known(urn, goal)
    this.#seen.add(urn)
    if (!goal.custom) return () => this.#steps.component(old, urn, goal)
    // `--replace` is a create without a `diff`, and then a delete of the old resource.
    const forced = old !== undefined && this.#context.options.replace?.includes(urn) === true
    const inputs = await this.#check(urn, forced ? {} : old?.inputs ?? {}, goal.inputs)
    const planned = { urn, goal, inputs, secrets: [...secretsIn(goal.inputs), ...goal.secretOutputs] }
    if (forced) return await this.#replacing(old, planned, goal.deleteBeforeReplace ?? false)
    return old === undefined ? () => this.#steps.create(planned) : await this.#changing(old, planned)
  }

  /** The state's resource with this URN or one of its aliases. */
  #known(urn: string, { aliases }: Goal): StoredResource | undefined {
    const { state } = this.#context
    const own = state.find(urn)
    if (own !== undefined) return own
    const alias = aliases.find((one) => state.find(one) !== undefined && !this.#seen.has(one))
    if (alias === undefined) return undefined
    state.rename(alias, urn)
    return state.find(urn)
  }

  async #changing(old: StoredResource, planned: Planned): Promise<Step> {
    const provider = await this.#context.provider(planned.urn)
    const { changes, deleteFirst, replaces } = this.#replaced.has(planned.goal.deletedWith)
      ? { changes: true, deleteFirst: false, replaces: ["deletedWith"] }
      : await this.#said(planned.urn, provider.diff(old.id, old.outputs, planned.inputs, old.inputs))
    if (replaces.length > 0) {
      this.#context.say(`+-${planned.urn} replace [diff: ${replaces.join(",")}]`)
      const inputs = await this.#check(planned.urn, {}, planned.inputs)
      return await this.#replacing(old, { ...planned, inputs }, planned.goal.deleteBeforeReplace ?? deleteFirst)
    }
    return changes || old.initErrors.length > 0
      ? () => this.#steps.update(old, planned)
      : () => this.#steps.same(old, planned)
  }

  /** When the old half is deleted first, its dependents are diffed without it. */
  async #replacing(old: StoredResource, planned: Planned, deleteFirst: boolean): Promise<Step> {
    this.#replaced.add(old.urn)
    if (!deleteFirst) return () => this.#steps.replace(old, planned)
    const { resources } = this.#context.state
    for (const one of resources.filter((other) => !other.delete && other.dependencies.includes(old.urn))) {
      const lost = Object.entries(one.propertyDependencies).filter(([, urns]) => urns.includes(old.urn))
      const inputs = { ...one.inputs, ...Object.fromEntries(lost.map(([name]) => [name, UNKNOWN])) }
      const provider = await this.#context.provider(one.urn)
      const { replaces } = await this.#said(one.urn, provider.diff(one.id, one.outputs, inputs, one.inputs))
      if (replaces.length > 0) throw new Error(`the test engine can't replace ${one.urn} along with ${old.urn}`)
    }
    return () => this.#steps.replaceAfterDelete(old, planned)
  }

  async #check(urn: string, olds: Values, news: Values): Promise<Values> {
    const provider = await this.#context.provider(urn)
    const { failures, inputs } = await this.#said(urn, provider.check(olds, news))
    for (const failure of failures) this.#context.say(`error: resource ${urn} has ${failure}`)
    if (failures.length > 0) throw new Error(`resource ${urn} has ${failures.join("; ")}`)
    return wrapAll(inputs, secretsIn(news))
  }

  #said<A>(urn: string, work: Promise<A>): Promise<A> {
    return work.catch((error: unknown) => {
      this.#context.say(`error: ${urn}: ${(error as Error).message}`)
      throw error
    })
  }

  /** Resources in the state that the program no longer names, and old halves. */
  leftovers(): ReadonlyArray<StoredResource> {
    return this.#context.state.resources.filter((one) => one.delete || !this.#seen.has(one.urn))
  }
}
