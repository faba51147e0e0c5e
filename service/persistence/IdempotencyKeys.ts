/** Which create an idempotency key has bought. Keys are scoped to the API key that sent them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Claim {
  readonly apiKeyId: number
  /** SHA-256 of the key, in hex. */
  readonly digest: string
  /** JSON text: one keyed mark per field of the body. */
  readonly fingerprint: string
  readonly instanceId: number
  readonly at: number
}

export class IdempotencyKeys extends Context.Service<IdempotencyKeys, {
  readonly find: (apiKeyId: number, digest: string) => Effect.Effect<
    Pick<Claim, "fingerprint" | "instanceId"> | undefined
  >
  readonly remember: (claim: Claim) => Effect.Effect<void>
  /** Keys of a deleted instance go at a moment, in epoch milliseconds. */
  readonly forgetAt: (instanceId: number, at: number) => Effect.Effect<void>
  /** When the next keys go. */
  readonly nextForgotten: Effect.Effect<number | undefined>
  /** Deletes the keys whose moment has come. */
  readonly forget: (now: number) => Effect.Effect<void>
}>()("pulumi-vps/service/IdempotencyKeys") {}
