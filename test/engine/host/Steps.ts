/** The steps that a plan leads to, and what each leaves in the state; also when it leads only half the way. */
import type { RunOptions } from "../Stack.ts"
import type { Goal, Registered } from "./Monitor.ts"
import { InitFailed, type Provider } from "./Provider.ts"
import type { State, StoredResource } from "./State.ts"
import { type Values, wrapAll } from "./Wire.ts"

export interface Context {
  readonly stack: string
  readonly project: string
  readonly preview: boolean
  readonly options: RunOptions
  readonly state: State
  /** The provider of the resource with this URN. */
  readonly provider: (urn: string) => Promise<Provider>
  readonly say: (line: string) => void
}

/** Counted for the summary line that a test reads. */
export interface Summary {
  create: number
  update: number
  replace: number
  delete: number
  same: number
}

/** The checked inputs of one resource and how its outputs are to be marked. */
export interface Planned {
  readonly urn: string
  readonly goal: Goal
  readonly inputs: Values
  readonly secrets: ReadonlyArray<string>
}

const about = ({ goal, urn }: Planned) => ({
  urn,
  type: goal.type,
  custom: true,
  parent: goal.parent,
  dependencies: goal.dependencies,
  propertyDependencies: goal.propertyDependencies,
  protect: goal.protect,
  retainOnDelete: goal.retainOnDelete,
  deletedWith: goal.deletedWith,
  sourcePosition: goal.sourcePosition,
  delete: false
})

export class Steps {
  readonly #context: Context
  readonly #summary: Summary

  constructor(context: Context, summary: Summary) {
    this.#context = context
    this.#summary = summary
  }

  /** A component is stored in the state without a provider call. */
  component(old: StoredResource | undefined, urn: string, goal: Goal): Promise<Registered> {
    if (old === undefined) this.#summary.create++
    else this.#summary.same++
    const resource = { ...about({ urn, goal, inputs: {}, secrets: [] }), custom: false }
    if (!this.#context.preview) {
      this.#context.state.put({ ...resource, id: "", inputs: goal.inputs, outputs: {}, initErrors: [] })
    }
    return Promise.resolve({ urn, id: "", outputs: {} })
  }

  async create(planned: Planned): Promise<Registered> {
    this.#summary.create++
    const { preview, say, state } = this.#context
    const { inputs, urn } = planned
    say(`+ ${urn} create`)
    const provider = await this.#context.provider(urn)
    if (preview) return { urn, id: "", outputs: await provider.foreseen(inputs) }
    state.begin("creating", urn)
    return await this.#keep(planned, "creating", "", async () => await provider.create(inputs))
  }

  async update(old: StoredResource, planned: Planned): Promise<Registered> {
    this.#summary.update++
    const { preview, say, state } = this.#context
    const { inputs, urn } = planned
    say(`~ ${urn} update`)
    const provider = await this.#context.provider(urn)
    if (preview) return { urn, id: old.id, outputs: await provider.foreseen(inputs, old) }
    state.begin("updating", urn)
    return await this.#keep(planned, "updating", old.id, async () => ({
      id: old.id,
      outputs: await provider.update(old.id, old.outputs, inputs)
    }), old)
  }

  /** The old half stays in the state until it is deleted, at the end of the update. */
  async replace(old: StoredResource, planned: Planned): Promise<Registered> {
    this.#summary.replace++
    const { preview, state } = this.#context
    const provider = await this.#context.provider(planned.urn)
    if (preview) return { urn: planned.urn, id: "", outputs: await provider.foreseen(planned.inputs) }
    state.begin("creating", planned.urn)
    return await this.#keep(planned, "creating", "", async () => {
      const made = await provider.create(planned.inputs)
      state.change(old, { ...old, delete: true })
      return made
    })
  }

  async replaceAfterDelete(old: StoredResource, planned: Planned): Promise<Registered> {
    this.#summary.replace++
    const { preview, state } = this.#context
    const provider = await this.#context.provider(planned.urn)
    if (preview) return { urn: planned.urn, id: "", outputs: await provider.foreseen(planned.inputs) }
    await this.remove(old)
    state.begin("creating", planned.urn)
    return await this.#keep(planned, "creating", "", async () => await provider.create(planned.inputs))
  }

  /** Nothing to do, but the new inputs and dependencies are stored. */
  same(old: StoredResource, planned: Planned): Promise<Registered> {
    this.#summary.same++
    const { inputs, urn } = planned
    if (!this.#context.preview) this.#context.state.put({ ...old, ...about(planned), inputs })
    return Promise.resolve({ urn, id: old.id, outputs: old.outputs })
  }

  /** An update that failed keeps the old inputs. */
  async #keep(
    planned: Planned,
    kind: "creating" | "updating",
    id: string,
    step: () => Promise<{ id: string; outputs: Values }>,
    old?: StoredResource
  ): Promise<Registered> {
    const { inputs, secrets, urn } = planned
    const { say, state } = this.#context
    try {
      const made = await step()
      const outputs = wrapAll(made.outputs, secrets)
      state.put({ ...about(planned), id: made.id, inputs, outputs, initErrors: [] })
      return { urn, id: made.id, outputs }
    } catch (error) {
      say(`error: ${kind} ${urn} failed: ${(error as Error).message}`)
      if (error instanceof InitFailed) {
        const outputs = wrapAll(error.outputs, secrets)
        const partial = { ...about(planned), id: error.id || id, outputs, initErrors: error.reasons }
        state.put({ ...partial, inputs: old?.inputs ?? inputs })
      }
      throw error
    } finally {
      state.finish(kind, urn)
    }
  }

  /** `others`: the URNs of all that is deleted in the same run. */
  async remove(one: StoredResource, others: ReadonlySet<string> = new Set()): Promise<void> {
    const { say, state } = this.#context
    say(`- ${one.urn} delete`)
    if (one.protect) {
      say(`error: ${one.urn} can't be deleted because it is protected`)
      throw new Error(`${one.urn} is protected`)
    }
    if (!one.custom || one.retainOnDelete || others.has(one.deletedWith ?? "")) return state.remove(one)
    const provider = await this.#context.provider(one.urn)
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
}
