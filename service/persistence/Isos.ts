/** The ISO library, and what is in each instance's drive. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Iso {
  readonly id: number
  readonly name: string
  /** The upstream's name for it. */
  readonly fileName: string
  readonly sizeBytes: number
}

export class Isos extends Context.Service<Isos, {
  /** By id. */
  readonly list: Effect.Effect<ReadonlyArray<Iso>>
  readonly find: (id: number) => Effect.Effect<Iso | undefined>
  readonly add: (iso: Iso) => Effect.Effect<void>
}>()("pulumi-vps/service/Isos") {}
