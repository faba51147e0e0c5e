/** Everything under a name, to come back to: for the emulator only. A reset leaves it alone. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface SavedState {
  readonly name: string
  /** Epoch milliseconds of the emulator's clock. */
  readonly savedAt: number
}

export class SavedStates extends Context.Service<SavedStates, {
  /** By name. */
  readonly list: Effect.Effect<ReadonlyArray<SavedState>>
  /** Saves every table, and the ids that were given out; replaces what had the name. Part of a transaction. */
  readonly save: (state: SavedState) => Effect.Effect<void>
  readonly find: (name: string) => Effect.Effect<SavedState | undefined>
  /** Puts everything back as it was saved; a defect when there is no such state. Part of a transaction. */
  readonly restore: (name: string) => Effect.Effect<void>
}>()("pulumi-vps/service/SavedStates") {}
