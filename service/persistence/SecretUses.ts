/** What depends on which of the service's secrets: digests of API keys, and passwords that wait in tasks. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** How much was made under one secret. */
export interface SecretUse {
  /** The secret's id; null for what versions without ids have made. */
  readonly id: string | null
  /** API keys that are neither revoked nor expired. */
  readonly keys: number
  /** Open tasks with an encrypted password. */
  readonly tasks: number
}

export class SecretUses extends Context.Service<SecretUses, {
  /** At a moment, in epoch milliseconds; secrets under which nothing was made are absent. */
  readonly all: (now: number) => Effect.Effect<ReadonlyArray<SecretUse>>
  /** The secret's id for each key from the first id to the last; null for those of versions without ids. */
  readonly ofKeys: (first: number, last: number) => Effect.Effect<ReadonlyMap<number, string | null>>
  /** Stores another digest of the same key. */
  readonly redigest: (apiKeyId: number, digest: string) => Effect.Effect<void>
}>()("pulumi-vps/service/SecretUses") {}
