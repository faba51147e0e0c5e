/**
 * An engine of the protocol in the test's process: plan, apply, refresh, import and destroy of one resource, as
 * OpenTofu does them. Each run has a provider of its own, as each phase of a command has a process of its own.
 */
import { UNKNOWN } from "#provider/definition/Properties"
import { decode, encode } from "#provider/terraform-host/MessagePack"
import { type Message, type Method, WARNING } from "#provider/terraform-host/Protocol"
import { Provider } from "#provider/terraform-host/Provider"
import { RESOURCES } from "#provider/terraform-host/Resources"
import type { State } from "#provider/terraform-host/Schema"
import { SETTINGS } from "#provider/terraform-host/Settings"
import { TerraformHost } from "#provider/terraform-host/TerraformHost"
import { wordsOf } from "#provider/terraform-host/TerraformWords"
import { assert } from "vitest"

export interface Stored {
  readonly state: State
  readonly private: Uint8Array | undefined
  readonly isTainted: boolean
}

export interface PlanResult {
  readonly planned: State | null
  readonly private: Uint8Array | undefined
  readonly replaces: boolean
}

const pack = (value: unknown): Message<"DynamicValue"> => ({ msgpack: encode(value) })
const unpack = (value: Message<"DynamicValue"> | undefined): State | null =>
  value?.msgpack === undefined ? null : decode(value.msgpack) as State | null

const complete = (names: ReadonlyArray<string>, given: State): State =>
  Object.fromEntries(names.map((name) => [name, given[name] ?? null]))

/** Engines refuse a value that differs from a known one of the plan before. */
export const assertFollows = (
  kind: "final plan" | "result after apply",
  planned: State,
  actual: State | null
): void => {
  const differing = Object.entries(planned).filter(([name, value]) =>
    value !== UNKNOWN && JSON.stringify(value) !== JSON.stringify(actual?.[name] ?? null)
  )
  assert.deepStrictEqual(differing, [], `inconsistent ${kind}: ${JSON.stringify(actual)}`)
}

const attributesOf = (type: string) => RESOURCES.get(type)!.attributes

export class Engine {
  readonly #provider: Provider
  readonly #type: string
  /** The diagnostics: "error name: attribute", "warning ...". */
  readonly lines: Array<string> = []

  private constructor(provider: Provider, type: string) {
    this.#provider = provider
    this.#type = type
  }

  static async start(settings: State, type = "vps_instance", environment: Record<string, string> = {}) {
    const host = new TerraformHost(() => undefined)
    const engine = new Engine(new Provider({ host, words: wordsOf("tofu"), environment }), type)
    await engine.call("ConfigureProvider", { config: pack(complete(SETTINGS.map(({ name }) => name), settings)) })
    return engine
  }

  async call<M extends Method>(method: M, request: Message<`${M}.Request`>): Promise<Message<`${M}.Response`>> {
    const answer = await this.#provider.answer(method, request)
    const { diagnostics = [] } = answer as { readonly diagnostics?: ReadonlyArray<Message<"Diagnostic">> }
    for (const { attribute, detail = "", severity, summary = "" } of diagnostics) {
      const at = attribute?.steps?.[0]?.attribute_name
      this.lines.push(
        `${severity === WARNING ? "warning" : "error"}${at === undefined ? "" : ` at ${at}`} ${summary} ${detail}`
          .trim()
      )
    }
    return answer
  }

  get errors(): ReadonlyArray<string> {
    return this.lines.filter((line) => line.startsWith("error"))
  }

  /** The first thing that an engine does with a state. */
  async refresh(stored: Stored): Promise<Stored | undefined> {
    const raw = { json: Buffer.from(JSON.stringify(stored.state)) }
    const upgraded = await this.call("UpgradeResourceState", { type_name: this.#type, version: 0, raw_state: raw })
    const answer = await this.call("ReadResource", {
      type_name: this.#type,
      current_state: upgraded.upgraded_state,
      private: stored.private
    })
    const state = unpack(answer.new_state)
    return state === null ? undefined : { ...stored, state, private: answer.private }
  }

  async plan(stored: Stored | undefined, config: State): Promise<PlanResult> {
    const before = stored === undefined || stored.isTainted ? undefined : stored
    const first = await this.#plan(before?.state ?? null, before?.private, config)
    const replaces = stored?.isTainted === true || first.replaces
    return first.replaces ? { ...await this.replace(first, config), replaces } : { ...first, replaces }
  }

  /** The second call of a replacement. */
  replace(first: PlanResult, config: State): Promise<PlanResult> {
    return this.#plan(null, first.private, config)
  }

  async #plan(prior: State | null, bytes: Uint8Array | undefined, given: State): Promise<PlanResult> {
    const attributes = attributesOf(this.#type)
    const config = complete(attributes.map(({ name }) => name), given)
    const proposed = Object.fromEntries(attributes.map(({ computed, name }) => {
      const computedValue = prior === null ? UNKNOWN : prior[name]
      return [name, config[name] ?? (computed === true ? computedValue : null)]
    }))
    const answer = await this.call("PlanResourceChange", {
      type_name: this.#type,
      prior_state: pack(prior),
      proposed_new_state: pack(proposed),
      config: pack(config),
      prior_private: bytes
    })
    const replaces = (answer.requires_replace ?? []).length > 0
    return { planned: unpack(answer.planned_state), private: answer.planned_private, replaces }
  }

  async apply(stored: Stored | undefined, given: State, plan: PlanResult): Promise<Stored | undefined> {
    const config = complete(attributesOf(this.#type).map(({ name }) => name), given)
    const prior = stored === undefined || plan.replaces ? null : stored.state
    const errors = this.errors.length
    const answer = await this.call("ApplyResourceChange", {
      type_name: this.#type,
      prior_state: pack(prior),
      planned_state: pack(plan.planned),
      config: pack(config),
      planned_private: plan.private
    })
    const state = unpack(answer.new_state)
    const isTainted = prior === null && this.errors.length > errors
    if (this.errors.length === errors) assertFollows("result after apply", plan.planned ?? {}, state)
    return state === null ? undefined : { state, private: answer.private, isTainted }
  }

  async planDestroy(stored: Stored): Promise<Uint8Array | undefined> {
    const answer = await this.call("PlanResourceChange", {
      type_name: this.#type,
      prior_state: pack(stored.state),
      proposed_new_state: pack(null),
      config: pack(null),
      prior_private: stored.private
    })
    return answer.planned_private
  }

  async destroy(stored: Stored, bytes: Uint8Array | undefined): Promise<State | null> {
    const answer = await this.call("ApplyResourceChange", {
      type_name: this.#type,
      prior_state: pack(stored.state),
      planned_state: pack(null),
      config: pack(null),
      planned_private: bytes
    })
    return unpack(answer.new_state)
  }

  async import(id: string): Promise<Stored | undefined> {
    const { imported_resources: [found] = [] } = await this.call("ImportResourceState", { type_name: this.#type, id })
    const state = unpack(found?.state)
    return state === null ? undefined : { state, private: found?.private, isTainted: false }
  }
}
