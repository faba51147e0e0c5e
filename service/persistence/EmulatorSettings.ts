/** What the emulator's controls have set. It lies in the same database, so that a restart keeps it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface ClockSetting {
  /** Milliseconds before the machine's clock; negative is behind it. */
  readonly ahead: number
  /** The moment at which it stands, in epoch milliseconds; null when it runs. */
  readonly frozenAt: number | null
}

export interface StoredFault {
  readonly id: number
  /** JSON text. */
  readonly rule: string
  /** How often chance was asked. */
  readonly drawn: number
  /** How often it struck. */
  readonly hits: number
}

export class EmulatorSettings extends Context.Service<EmulatorSettings, {
  /** Undefined until it was set. */
  readonly clock: Effect.Effect<ClockSetting | undefined>
  readonly setClock: (setting: ClockSetting) => Effect.Effect<void>
  /** Oldest first. */
  readonly faults: Effect.Effect<ReadonlyArray<StoredFault>>
  /** Answers its id. */
  readonly addFault: (rule: string) => Effect.Effect<number>
  /** Stores how often it was asked and struck. */
  readonly countFault: (fault: Omit<StoredFault, "rule">) => Effect.Effect<void>
  readonly clearFaults: Effect.Effect<void>
}>()("pulumi-vps/service/EmulatorSettings") {}
