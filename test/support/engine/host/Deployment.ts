/** What the engine does with each registered resource: its own order of calls (facts/pulumi-dynamic.md, §3 to §5). */
import type { Registered, Registration } from "./Monitor.ts"
import { InitFailed, type ProviderProcess } from "./ProviderProcess.ts"
import type { State, StoredResource } from "./State.ts"
import { secretsIn, UNKNOWN, type Values, wrapAll } from "./Wire.ts"

/** Counted for the summary line that a test reads. */
export interface Summary {
  create: number
  update: number
  replace: number
  delete: number
  same: number
}

export interface Context {
  readonly stack: string
  readonly project: string
  readonly preview: boolean
  /** The end of the URN that `--replace` names. */
  readonly replaced: string | undefined
  readonly state: State
  readonly provider: () => Promise<ProviderProcess>
  readonly say: (line: string) => void
}

const ROOT_TYPE = "pulumi:pulumi:Stack"

/** The checked inputs of one resource and how its outputs are to be marked. */
interface Planned {
  readonly urn: string
  readonly type: string
  readonly inputs: Values
  readonly secrets: ReadonlyArray<string>
}

export class Deployment {
  readonly summary: Summary = { create: 0, update: 0, replace: 0, delete: 0, same: 0 }
  readonly #context: Context
  readonly #seen = new Set<string>()
  /** `check` and `diff` run one resource at a time. */
  #planning: Promise<unknown> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
  }

  urnOf({ name, parent, type }: Registration): string {
    const { project, stack } = this.#context
    const above = parent.split("::")[2] ?? ""
    const prefix = above === "" || above === ROOT_TYPE ? "" : `${above}$`
    return `urn:pulumi:${stack}::${project}::${prefix}${type}::${name}`
  }

  async register(registration: Registration): Promise<Registered> {
    const urn = this.urnOf(registration)
    if (!registration.custom) return { urn, id: "", outputs: registration.inputs }
    this.#seen.add(urn)
    const planned = this.#planning.then(() => this.#plan(urn, registration))
    this.#planning = planned.catch(() => undefined)
    return await (await planned)()
  }

  /** Serial part: `check` and `diff`. Answers the step, which may run beside others. */
  async #plan(urn: string, { inputs: news, secretOutputs, type }: Registration): Promise<() => Promise<Registered>> {
    const { replaced, say, state } = this.#context
    const old = state.find(urn)
    // `--replace` is a create as if nothing were there, without a `diff`, and then a delete of what was.
    const forced = old !== undefined && replaced !== undefined && urn.endsWith(replaced)
    const inputs = await this.#check(urn, forced ? {} : old?.inputs ?? {}, news)
    const planned: Planned = { urn, type, inputs, secrets: [...secretsIn(news), ...secretOutputs] }
    if (forced) return () => this.#replace(old, planned)
    if (old === undefined) return () => this.#create(planned)
    const provider = await this.#context.provider()
    const { changes, replaces } = await provider.diff(old.id, old.outputs, inputs)
    if (replaces.length > 0) {
      say(`+-${urn} replace [diff: ${replaces.join(",")}]`)
      const again = { ...planned, inputs: await this.#check(urn, {}, news) }
      return () => this.#replace(old, again)
    }
    return changes || old.initErrors.length > 0 ? () => this.#update(old, planned) : () => this.#same(old, planned)
  }

  async #check(urn: string, olds: Values, news: Values): Promise<Values> {
    const { failures, inputs } = await (await this.#context.provider()).check(olds, news)
    for (const failure of failures) this.#context.say(`error: resource ${urn} has ${failure}`)
    if (failures.length > 0) throw new Error(`resource ${urn} has ${failures.join("; ")}`)
    return wrapAll(inputs, secretsIn(news))
  }

  async #create(planned: Planned): Promise<Registered> {
    this.summary.create++
    const { preview, say, state } = this.#context
    const { inputs, urn } = planned
    say(`+ ${urn} create`)
    if (preview) return { urn, id: "", outputs: inputs }
    const provider = await this.#context.provider()
    state.begin("creating", urn)
    return await this.#keep(planned, "creating", "", async () => await provider.create(inputs))
  }

  async #update(old: StoredResource, planned: Planned): Promise<Registered> {
    this.summary.update++
    const { preview, say, state } = this.#context
    const { inputs, urn } = planned
    say(`~ ${urn} update`)
    // The dynamic host has no preview of an update: what it answers is not known yet.
    const unknown = Object.fromEntries(Object.keys(old.outputs).map((name) => [name, UNKNOWN]))
    if (preview) return { urn, id: old.id, outputs: { ...unknown, ...inputs } }
    const provider = await this.#context.provider()
    state.begin("updating", urn)
    return await this.#keep(planned, "updating", old.id, async () => ({
      id: old.id,
      outputs: await provider.update(old.id, old.outputs, inputs)
    }), old)
  }

  /** The old half stays in the state until it is deleted, at the end of the update. */
  async #replace(old: StoredResource, planned: Planned): Promise<Registered> {
    this.summary.replace++
    const { preview, state } = this.#context
    if (preview) return { urn: planned.urn, id: "", outputs: planned.inputs }
    const provider = await this.#context.provider()
    state.begin("creating", planned.urn)
    return await this.#keep(planned, "creating", "", async () => {
      const made = await provider.create(planned.inputs)
      state.resources = state.resources.map((one) => one === old ? { ...one, delete: true } : one)
      return made
    })
  }

  #same(old: StoredResource, { inputs, urn }: Planned): Promise<Registered> {
    this.summary.same++
    if (!this.#context.preview) this.#context.state.put({ ...old, inputs })
    return Promise.resolve({ urn, id: old.id, outputs: old.outputs })
  }

  /** Stores what a step led to, also when it led only half the way. An update that failed keeps the old inputs. */
  async #keep(
    { inputs, secrets, type, urn }: Planned,
    kind: "creating" | "updating",
    id: string,
    step: () => Promise<{ id: string; outputs: Values }>,
    old?: StoredResource
  ): Promise<Registered> {
    const { state, say } = this.#context
    try {
      const made = await step()
      const outputs = wrapAll(made.outputs, secrets)
      state.put({ urn, type, id: made.id, inputs, outputs, initErrors: [], delete: false })
      return { urn, id: made.id, outputs }
    } catch (error) {
      say(`error: ${kind} ${urn} failed: ${(error as Error).message}`)
      if (error instanceof InitFailed) {
        const outputs = wrapAll(error.outputs, secrets)
        const partial = { urn, type, id: error.id || id, outputs, initErrors: error.reasons, delete: false }
        state.put({ ...partial, inputs: old?.inputs ?? inputs })
      }
      throw error
    } finally {
      state.finish(kind, urn)
    }
  }

  /** After the program: what it no longer names, and old halves, youngest first. */
  async sweep(): Promise<void> {
    const { state } = this.#context
    const gone = state.resources.filter((one) => one.delete || !this.#seen.has(one.urn)).toReversed()
    for (const one of gone) await this.#delete(one)
  }

  async destroy(): Promise<void> {
    for (const one of this.#context.state.resources.toReversed()) await this.#delete(one)
  }

  async #delete(one: StoredResource): Promise<void> {
    const { preview, say, state } = this.#context
    this.summary.delete++
    say(`- ${one.urn} delete`)
    if (preview) return
    const provider = await this.#context.provider()
    state.begin("deleting", one.urn)
    try {
      await provider.delete(one.id, one.outputs)
      state.remove(one)
    } catch (error) {
      say(`error: deleting ${one.urn} failed: ${(error as Error).message}`)
      throw error
    } finally {
      state.finish("deleting", one.urn)
    }
  }

  async refresh(): Promise<void> {
    const { say, state } = this.#context
    for (const one of state.resources.slice()) {
      const provider = await this.#context.provider()
      const seen = await provider.read(one.id, one.outputs, one.inputs).catch((error: unknown) => {
        say(`error: refreshing ${one.urn} failed: ${(error as Error).message}`)
        throw error
      })
      if (seen.id === "") {
        say(`- ${one.urn} deleted`)
        state.remove(one)
      } else {
        // By name: whatever was a secret stays one.
        const outputs = wrapAll(seen.outputs, secretsIn(one.outputs))
        const inputs = wrapAll(seen.inputs ?? one.inputs, secretsIn(one.inputs))
        state.put({ ...one, outputs, inputs, initErrors: [] })
      }
    }
  }
}
