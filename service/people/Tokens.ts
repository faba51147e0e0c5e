/** Random tokens of sessions, links and tickets. Only their digest is stored: 256 bits cannot be guessed from it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash, randomBytes } from "node:crypto"
import { RealClock } from "../runtime/Time.ts"

const BYTES = 32

export const newToken = (): string => randomBytes(BYTES).toString("base64url")

export const digestOf = (token: string): string => hash("sha256", token, "hex")

/** Real time, in epoch milliseconds: advancing an emulator's clock must not sign people out. */
export const signInTime: Effect.Effect<number> = Effect.flatMap(
  RealClock,
  (real) => real === undefined ? Clock.currentTimeMillis : Effect.sync(() => real.currentTimeMillisUnsafe())
)
