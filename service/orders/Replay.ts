/** Replays of a create: an idempotency key that was used before returns its instance. */
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import type { CreateInstance, Instance } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { IdempotencyMismatch } from "../domain/Errors.ts"
import { mismatch } from "../idempotency/Fingerprint.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { Instances } from "../persistence/Instances.ts"
import { Secret } from "../config/Secret.ts"
import { OrderPolicy } from "./OrderPolicy.ts"

export interface Replay {
  /** Its current state, even if it is deleted. */
  readonly instance: Instance
  /** The fields in which this body differs from the original one. */
  readonly mismatch: ReadonlyArray<string>
}

/** SHA-256 in hex: the stored form of a key, which `order.config` shows, too. */
export const keyDigest = (key: string): string => hash("sha256", key, "hex")

/**
 * Runs before plan, coupon and balance are checked: a purchase stays valid. Fails with `IdempotencyMismatch` for
 * another body, if the operator's policy says so. `digest` is the key's.
 */
export const findReplay = Effect.fnUntraced(function*(caller: Caller, body: CreateInstance, digest: string) {
  const claim = yield* (yield* IdempotencyKeys).find(caller, digest)
  if (claim === undefined) return undefined
  const instance = yield* (yield* Instances).showAny(caller.accountId, claim.instanceId)
  if (instance === undefined) {
    return yield* Effect.die(new Error(`instance ${claim.instanceId} of a claimed key is missing`))
  }
  const differing = mismatch(claim.fingerprint, body, (yield* Secret).markers)
  if (differing.length > 0 && (yield* OrderPolicy).strict) {
    return yield* new IdempotencyMismatch({ instanceId: claim.instanceId, fields: differing })
  }
  return { instance, mismatch: differing } satisfies Replay
})
