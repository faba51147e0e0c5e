/** Faults on demand: rules that say what goes wrong, when, and how often. Under a seed the same happens every time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomInt } from "node:crypto"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { EmulatorSettings } from "../persistence/EmulatorSettings.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { randomAt } from "./RandomSource.ts"

export const DROPS = ["before", "after"] as const
export const DRIVER_FAULTS = ["busy", "rejected", "unavailable", "lost_answer"] as const

/** A rule as the control takes and shows it. */
export interface Rule {
  /** `group.endpoint` of the contract, `instances.dry_run`, or `driver.<operation>`. */
  readonly operation: string
  /** Answered instead of doing the work. */
  readonly status?: number
  /** Goes by before anything else happens. */
  readonly latency_ms?: number
  /** The connection is cut before or after the work. */
  readonly drop_connection?: typeof DROPS[number]
  /** What the driver answers; after `lost_answer` the work is done all the same. */
  readonly driver?: typeof DRIVER_FAULTS[number]
  /** From 0 to 1; always when absent. */
  readonly probability?: number
  /** How often it strikes; until it is removed when absent. */
  readonly count?: number
  /** What chance is drawn from. */
  readonly seed: number
}

export interface Fault {
  readonly id: number
  readonly rule: Rule
  /** How often chance was asked. */
  readonly drawn: number
  /** How often it struck. */
  readonly hits: number
}

export class Faults extends Context.Service<Faults, {
  /** Oldest first. */
  readonly all: Effect.Effect<ReadonlyArray<Fault>>
  /** Holds from now on; a seed is made up when there is none. */
  readonly add: (rule: Omit<Rule, "seed"> & { readonly seed?: number }) => Effect.Effect<Fault, StorageUnavailable>
  readonly clear: Effect.Effect<void, StorageUnavailable>
  /** What strikes an operation now: the oldest rule that does. */
  readonly strike: (operation: string) => Effect.Effect<Fault | undefined, StorageUnavailable>
  /** Reads the rules again: the database was put back. */
  readonly reload: Effect.Effect<void>
}>()("pulumi-vps/service/Faults") {}

/** Seeds are shown in JSON and typed by people. */
const SEED_MAX = 2 ** 31

/** Asks a rule that fits whether it strikes. */
const ask = (fault: Fault): { readonly fault: Fault; readonly strikes: boolean } => {
  const { probability, seed } = fault.rule
  const drawn = probability === undefined ? fault.drawn : fault.drawn + 1
  const strikes = probability === undefined || randomAt(seed, drawn) < probability
  return { fault: { ...fault, drawn, hits: fault.hits + Number(strikes) }, strikes }
}

const isSpent = ({ hits, rule: { count } }: Fault): boolean => count !== undefined && hits >= count

const make = Effect.gen(function*() {
  const settings = yield* EmulatorSettings
  const { run } = yield* Transaction
  let faults: ReadonlyArray<Fault> = []
  const reload = Effect.map(settings.faults, (stored) => {
    faults = stored.map(({ rule, ...rest }) => ({ ...rest, rule: JSON.parse(rule) as Rule }))
  })
  const add: Faults["Service"]["add"] = Effect.fnUntraced(function*(given) {
    const rule: Rule = { ...given, seed: given.seed ?? randomInt(SEED_MAX) }
    const id = yield* run(settings.addFault(JSON.stringify(rule)))
    const fault = { id, rule, drawn: 0, hits: 0 }
    faults = [...faults, fault]
    return fault
  })

  /** Decided in one step, so that requests that come together cannot take the last strike twice. */
  const decide = (operation: string) => {
    const changed: Array<Fault> = []
    let struck: Fault | undefined
    for (const candidate of faults) {
      if (candidate.rule.operation !== operation || isSpent(candidate)) continue
      const { fault, strikes } = ask(candidate)
      changed.push(fault)
      if (!strikes) continue
      struck = fault
      break
    }
    if (changed.length > 0) faults = faults.map((fault) => changed.find(({ id }) => id === fault.id) ?? fault)
    return { changed, struck }
  }
  // A restart keeps the rules.
  yield* reload
  return Faults.of({
    all: Effect.sync(() => faults),
    add,
    clear: Effect.tap(run(settings.clearFaults), () => Effect.sync(() => void (faults = []))),
    strike: (operation) =>
      Effect.suspend(() => {
        if (faults.length === 0) return Effect.succeed(undefined)
        const { changed, struck } = decide(operation)
        return changed.length === 0
          ? Effect.succeed(undefined)
          : Effect.as(run(Effect.forEach(changed, settings.countFault, { discard: true })), struck)
      }),
    reload
  })
})

export const layer = Layer.effect(Faults, make)
