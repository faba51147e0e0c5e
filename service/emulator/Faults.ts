/** Fault injection: rules of what fails, when and how often. The same seed gives the same faults. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomInt } from "node:crypto"
import { type FaultBody, SEED_MAX } from "../contract/Emulator.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { EmulatorSettings } from "../persistence/EmulatorSettings.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { randomAt } from "./RandomSource.ts"

/** A rule as the control returns it. */
export type Rule = FaultBody & { readonly seed: number }

export interface Fault {
  readonly id: number
  readonly rule: Rule
  /** Number of draws for `probability`. */
  readonly drawn: number
  /** Number of times the rule was applied. */
  readonly hits: number
}

export class Faults extends Context.Service<Faults, {
  /** Oldest first. */
  readonly all: Effect.Effect<ReadonlyArray<Fault>>
  /** Adds a rule; a missing seed is random. */
  readonly add: (rule: FaultBody) => Effect.Effect<Fault, StorageUnavailable>
  readonly clear: Effect.Effect<void, StorageUnavailable>
  /** The fault of an operation now, from the oldest rule that applies. */
  readonly next: (operation: string) => Effect.Effect<Fault | undefined, StorageUnavailable>
  /** Reads the rules again, after the database was restored. */
  readonly reload: Effect.Effect<void>
}>()("@pulumi-vps/service/Faults") {}

/** Evaluates a rule of the operation. */
const evaluate = (fault: Fault): { readonly fault: Fault; readonly applies: boolean } => {
  const { probability, seed } = fault.rule
  const drawn = probability === undefined ? fault.drawn : fault.drawn + 1
  const applies = probability === undefined || randomAt(seed, drawn) < probability
  return { fault: { ...fault, drawn, hits: fault.hits + Number(applies) }, applies }
}

const isSpent = ({ hits, rule: { count } }: Fault): boolean => count !== undefined && hits >= count

const make = Effect.gen(function*() {
  const settings = yield* EmulatorSettings
  const { run } = yield* Transaction
  let faults: ReadonlyArray<Fault> = []
  const reload = Effect.map(settings.faults, (stored) => {
    faults = stored.map(({ rule, ...rest }) => ({ ...rest, rule: JSON.parse(rule) as Rule }))
  })
  const add: Faults["Service"]["add"] = Effect.fnUntraced(function*(unseeded) {
    const rule: Rule = { ...unseeded, seed: unseeded.seed ?? randomInt(SEED_MAX + 1) }
    const id = yield* run(settings.addFault(JSON.stringify(rule)))
    const fault = { id, rule, drawn: 0, hits: 0 }
    faults = [...faults, fault]
    return fault
  })

  /** Synchronous, so that concurrent requests cannot use the last hit twice. */
  const decide = (operation: string) => {
    const changed: Array<Fault> = []
    let applied: Fault | undefined
    for (const candidate of faults) {
      if (candidate.rule.operation !== operation || isSpent(candidate)) continue
      const { fault, applies } = evaluate(candidate)
      changed.push(fault)
      if (!applies) continue
      applied = fault
      break
    }
    if (changed.length > 0) faults = faults.map((fault) => changed.find(({ id }) => id === fault.id) ?? fault)
    return { changed, applied }
  }
  // The rules survive a restart.
  yield* reload
  return Faults.of({
    all: Effect.sync(() => faults),
    add,
    clear: Effect.tap(run(settings.clearFaults), () => Effect.sync(() => void (faults = []))),
    next: (operation) =>
      Effect.suspend(() => {
        if (faults.length === 0) return Effect.succeed(undefined)
        const { changed, applied } = decide(operation)
        return changed.length === 0
          ? Effect.succeed(undefined)
          : Effect.as(run(Effect.forEach(changed, settings.countFault, { discard: true })), applied)
      }),
    reload
  })
})

export const layer = Layer.effect(Faults, make)
