/** Repeatable randomness: in an emulator the same things happen in the same order, every time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { hash } from "node:crypto"

/** The number of hexadecimal digits of a digest that a number represents exactly. */
const DIGITS = 12

/** The n-th draw of a seed, uniform from 0 to 1. */
export const randomAt = (seed: number, n: number): number =>
  Number.parseInt(hash("sha256", `${seed}:${n}`, "hex").slice(0, DIGITS), 16) / 16 ** DIGITS

/** Any seed works; it is the same in every emulator. */
const SEED = 0

export class RandomSource extends Context.Service<RandomSource, {
  /** Starts from the seed again: after a reset, and after a state was restored. */
  readonly reset: Effect.Effect<void>
}>()("@pulumi-vps/service/RandomSource") {}

/** The source of the service's random delays. */
export const layer = Layer.effectContext(Effect.sync(() => {
  let draws = 0
  const nextDoubleUnsafe = () => randomAt(SEED, ++draws)
  const nextIntUnsafe = () => Math.floor((nextDoubleUnsafe() * 2 - 1) * Number.MAX_SAFE_INTEGER)
  return Context.make(RandomSource, { reset: Effect.sync(() => void (draws = 0)) }).pipe(
    Context.add(Random.Random, { nextDoubleUnsafe, nextIntUnsafe })
  )
}))
