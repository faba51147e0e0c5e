/**
 * A small `tofu`: plan, apply, refresh and destroy of `main.tf.json`, with the calls in the order in which OpenTofu
 * sends them, and a provider process for each phase. `npm test` plays with it what `npm run test:ci` plays with the
 * real one.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { UNKNOWN } from "#provider/definition/Properties"
import type { State } from "#provider/terraform-host/Schema"
import { Connection, convert, hasErrors, read, Refused, type Schemas, write } from "./Connection.ts"
import { type Block, evaluate, readConfiguration } from "./Evaluation.ts"

const STATE = "terraform.tfstate"
const configuration = readConfiguration()
const [verb = "", ...flags] = process.argv.slice(2)
const isDestroy = verb === "destroy"
const replaced = new Set(
  flags.flatMap((flag) => flag.startsWith("-replace=") ? [flag.slice("-replace=".length)] : [])
)
const [, folder = ""] = / = "([^"]+)"/.exec(readFileSync(process.env["TF_CLI_CONFIG_FILE"] ?? "", "utf8")) ?? []

/** A resource in the state. */
interface Stored {
  readonly type: string
  readonly name: string
  readonly state: State
  readonly private: Buffer | undefined
  readonly isTainted: boolean
}

/** As the state has it. */
interface StoredJson {
  readonly type: string
  readonly name: string
  readonly instances: readonly [{ readonly attributes: State; readonly private: string; readonly status?: "tainted" }]
}

const load = (): Map<string, Stored> => {
  const text = existsSync(STATE) ? readFileSync(STATE, "utf8") : "{\"resources\":[]}"
  const { resources } = JSON.parse(text) as { resources: ReadonlyArray<StoredJson> }
  return new Map(resources.map(({ instances: [instance], name, type }): [string, Stored] => {
    const { attributes, private: bytes, status } = instance
    return [`${type}.${name}`, {
      type,
      name,
      state: attributes,
      private: Buffer.from(bytes, "base64"),
      isTainted: status === "tainted"
    }]
  }))
}

const stored = load()

const save = (): void => {
  const resources = [...stored.values()].map(({ isTainted, name, private: bytes, state, type }) => ({
    mode: "managed",
    type,
    name,
    instances: [{
      ...(isTainted ? { status: "tainted" } : {}),
      attributes: state,
      private: (bytes ?? Buffer.alloc(0)).toString("base64")
    }]
  }))
  writeFileSync(STATE, JSON.stringify({ version: 4, resources }, null, 2))
}

type Action = "none" | "create" | "update" | "replace" | "delete"
interface Planned {
  readonly action: Action
  readonly state: State | null
  readonly private: Uint8Array | undefined
}

/** One phase: a provider process, and the values that expressions see. */
class Phase {
  readonly #provider: Connection
  readonly #schemas: Schemas
  readonly values = new Map<string, State>()

  private constructor(provider: Connection, schemas: Schemas) {
    this.#provider = provider
    this.#schemas = schemas
  }

  static async run(work: (phase: Phase) => Promise<void>): Promise<void> {
    const provider = await Connection.start(join(folder, "terraform-provider-vps"))
    try {
      const schemas = await provider.schemas()
      await provider.must("ConfigureProvider", { config: write(convert(schemas.provider, configuration.provider)) })
      await work(new Phase(provider, schemas))
    } finally {
      await provider.end()
    }
  }

  schemaOf({ type }: { readonly type: string }) {
    return this.#schemas.resources[type]!
  }

  async upgrade(one: Stored): Promise<void> {
    const json = Buffer.from(JSON.stringify(one.state))
    await this.#provider.must("UpgradeResourceState", { type_name: one.type, version: 0, raw_state: { json } })
  }

  async refresh(address: string, one: Stored): Promise<void> {
    await this.upgrade(one)
    const answer = await this.#provider.must("ReadResource", {
      type_name: one.type,
      current_state: write(one.state),
      private: one.private
    })
    const state = read(this.schemaOf(one), answer.new_state)
    if (state === null) stored.delete(address)
    else stored.set(address, { ...one, state, private: Buffer.from(answer.private ?? []) })
  }

  config(block: Block): State {
    const { depends_on: _, ...body } = block.body
    return evaluate(this.values, body) as State
  }

  /** The call of a plan; `prior` is null for one that is created. */
  async #planned(block: Block, prior: State | null, bytes: Uint8Array | undefined) {
    const schema = this.schemaOf(block)
    const config = convert(schema, this.config(block))
    const proposed = Object.fromEntries(schema.map(({ computed, name, writeOnly }) => {
      if (writeOnly) return [name, null]
      return [name, config[name] ?? (computed ? prior === null ? UNKNOWN : prior[name] : null)]
    }))
    const answer = await this.#provider.must("PlanResourceChange", {
      type_name: block.type,
      prior_state: write(prior),
      proposed_new_state: write(proposed),
      config: write(config),
      prior_private: bytes
    })
    const isReplaced = (answer.requires_replace ?? []).length > 0
    return { state: read(schema, answer.planned_state), private: answer.planned_private, isReplaced }
  }

  async plan(block: Block): Promise<Planned> {
    const before = stored.get(block.address)
    const isFresh = before === undefined || before.isTainted
    const first = await this.#planned(block, isFresh ? null : before.state, isFresh ? undefined : before.private)
    const isReplaced = !isFresh && (first.isReplaced || replaced.has(block.address))
    const last = isReplaced ? await this.#planned(block, null, first.private) : first
    this.values.set(block.address, last.state!)
    if (before === undefined) return { ...last, action: "create" }
    if (isReplaced || before.isTainted) return { ...last, action: "replace" }
    return { ...last, action: JSON.stringify(last.state) === JSON.stringify(before.state) ? "none" : "update" }
  }

  async planDestroy({ private: bytes, state, type }: Stored): Promise<Planned> {
    const answer = await this.#provider.must("PlanResourceChange", {
      type_name: type,
      prior_state: write(state),
      proposed_new_state: write(null),
      config: write(null),
      prior_private: bytes
    })
    return { action: "delete", state: null, private: answer.planned_private }
  }

  async destroy(address: string, bytes: Uint8Array | undefined): Promise<void> {
    const { state, type } = stored.get(address)!
    await this.#provider.must("ApplyResourceChange", {
      type_name: type,
      prior_state: write(state),
      planned_state: write(null),
      config: write(null),
      planned_private: bytes
    })
    stored.delete(address)
    save()
  }

  /** Plans again, as the apply does, and then applies. */
  async apply(block: Block, planned: Planned): Promise<void> {
    const schema = this.schemaOf(block)
    const before = stored.get(block.address)
    const prior = before?.state ?? null
    const again = await this.#planned(block, prior, before?.private)
    mustAgree(block, "final plan", planned.state, again.state)
    const answer = await this.#provider.call("ApplyResourceChange", {
      type_name: block.type,
      prior_state: write(prior),
      planned_state: write(again.state),
      config: write(convert(schema, this.config(block))),
      planned_private: again.private
    })
    const state = read(schema, answer.new_state)
    const hasFailed = hasErrors(answer)
    if (state === null) stored.delete(block.address)
    else {
      const own = { type: block.type, name: block.name, state, private: Buffer.from(answer.private ?? []) }
      stored.set(block.address, { ...own, isTainted: hasFailed && prior === null })
      this.values.set(block.address, state)
    }
    save()
    if (hasFailed) throw new Refused()
    mustAgree(block, "result", again.state, state)
  }

  /** A data source is read once its arguments are known. */
  async data(block: Block): Promise<void> {
    const schema = this.#schemas.dataSources[block.type]!
    const config = convert(schema, this.config(block))
    if (Object.values(config).includes(UNKNOWN) || block.needs.some((need) => !stored.has(need))) {
      this.values.set(block.address, Object.fromEntries(schema.map(({ name }) => [name, UNKNOWN])))
      return
    }
    const answer = await this.#provider.must("ReadDataSource", { type_name: block.type, config: write(config) })
    this.values.set(block.address, read(schema, answer.state)!)
  }
}

/** The values that the plan shows must come out. */
const mustAgree = (block: Block, what: string, shown: State | null, found: State | null): void => {
  const differing = Object.entries(shown ?? {}).filter(([name, value]) =>
    value !== UNKNOWN && JSON.stringify(value) !== JSON.stringify(found?.[name])
  )
  if (differing.length === 0) return
  const names = differing.map(([name]) => name).join(", ")
  throw new Error(`Provider produced inconsistent ${what}: ${block.address}: ${names}`)
}

/** Runs the steps that don't need one that has failed; the others are left out. */
class Steps {
  readonly #failed = new Set<string>()
  isFailed = false

  async run(address: string, needs: ReadonlyArray<string>, work: () => Promise<void>): Promise<void> {
    if (needs.some((need) => this.#failed.has(need))) return void this.#failed.add(address)
    try {
      await work()
    } catch (error) {
      this.isFailed = true
      this.#failed.add(address)
      if (!(error instanceof Refused)) process.stdout.write(`Error: ${(error as Error).message}\n`)
    }
  }
}

const blocks = isDestroy ? [] : configuration.blocks
const removed = () =>
  [...stored].filter(([address]) => !blocks.some((block) => block.address === address))
    .toSorted(([one], [other]) => orderOf(other) - orderOf(one))
/** A resource that refers to another comes after it, also in the state. */
const orderOf = (address: string): number =>
  ["vps_instance", "vps_snapshot"].findIndex((type) => address.startsWith(`${type}.`)) + 3 * Number(
      !/^vps_(instance|snapshot)\./.test(address)
    )

const planAll = async (plans: Map<string, Planned>, steps: Steps): Promise<void> =>
  Phase.run(async (phase) => {
    for (const [address, one] of stored) await steps.run(address, [], () => phase.refresh(address, one))
    if (flags.includes("-refresh-only") || steps.isFailed) return
    for (const [address, one] of removed()) {
      await steps.run(address, [], async () => void plans.set(address, await phase.planDestroy(one)))
    }
    for (const block of blocks) {
      await steps.run(block.address, block.needs, async () => {
        if (block.mode === "data") await phase.data(block)
        else plans.set(block.address, await phase.plan(block))
      })
    }
  })

const applyAll = async (plans: ReadonlyMap<string, Planned>, steps: Steps): Promise<void> =>
  Phase.run(async (phase) => {
    const old = [...plans].filter(([, { action }]) => action === "delete" || action === "replace")
    for (const [address, planned] of old.toSorted(([one], [other]) => orderOf(other) - orderOf(one))) {
      await steps.run(address, [], async () => {
        await phase.upgrade(stored.get(address)!)
        await phase.destroy(address, planned.private)
      })
    }
    for (const block of blocks) {
      await steps.run(block.address, block.needs, async () => {
        const planned = plans.get(block.address)
        if (block.mode === "data") return await phase.data(block)
        if (planned!.action === "none") return void phase.values.set(block.address, stored.get(block.address)!.state)
        await phase.apply(block, planned!)
      })
    }
  })

const main = async (): Promise<void> => {
  const [plans, steps] = [new Map<string, Planned>(), new Steps()]
  await planAll(plans, steps)
  const count = (...actions: ReadonlyArray<Action>): number =>
    [...plans.values()].filter(({ action }) => actions.includes(action)).length
  const [added, changed, gone] = [count("create", "replace"), count("update"), count("delete", "replace")]
  if (verb !== "plan" && !steps.isFailed) {
    save()
    if (added + changed + gone > 0) await applyAll(plans, steps)
  }
  if (steps.isFailed) process.exitCode = 1
  else process.stdout.write(`${verb} complete: ${added} added, ${changed} changed, ${gone} destroyed.\n`)
}

await main()
