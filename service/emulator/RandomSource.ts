/** Chance that repeats itself: in an emulator the same things happen in the same order, every time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { hash } from "node:crypto"

/** Digits of a digest, in hexadecimal, that fit a number exactly. */
const DIGITS = 12

/** From 0 to 1, evenly: the n-th draw of a seed is the same everywhere. */
export const randomAt = (seed: number, n: number): number =>
  Number.parseInt(hash("sha256", `${seed}:${n}`, "hex").slice(0, DIGITS), 16) / 16 ** DIGITS

/** Any would do; it is the same in every emulator. */
const SEED = 0

export class RandomSource extends Context.Service<RandomSource, {
  /** From the beginning again: after a reset, and after a state was restored. */
  readonly again: Effect.Effect<void>
}>()("pulumi-vps/service/RandomSource") {}

const make = (emulator: boolean) => {
  let drawn = 0
  const nextDoubleUnsafe = () => randomAt(SEED, ++drawn)
  const nextIntUnsafe = () => Math.floor((nextDoubleUnsafe() * 2 - 1) * Number.MAX_SAFE_INTEGER)
  const chance = Context.make(RandomSource, { again: Effect.sync(() => void (drawn = 0)) })
  return emulator ? Context.add(chance, Random.Random, { nextDoubleUnsafe, nextIntUnsafe }) : chance
}

/** What the service draws its pauses from. Outside of emulator mode it is the platform's own. */
export const layer = (emulator: boolean) => Layer.effectContext(Effect.sync(() => make(emulator)))
