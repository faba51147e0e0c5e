/** Forgetting everything: for the emulator's reset only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Wipe extends Context.Service<Wipe, {
  /** Empties every table; ids start again at 1. Runs in a transaction. */
  readonly everything: Effect.Effect<void>
}>()("pulumi-vps/service/Wipe") {}
