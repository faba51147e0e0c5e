/** API keys: only a digest of the secret is stored. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope } from "#contract/Scope"

export interface ApiKey {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly prefix: string
  readonly last4: string
  /** As granted. */
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

export interface NewApiKey
  extends Pick<ApiKey, "accountId" | "name" | "prefix" | "last4" | "scopes" | "createdAt" | "expiresAt">
{
  readonly digest: string
}

export class ApiKeys extends Context.Service<ApiKeys, {
  readonly findByDigest: (digest: string) => Effect.Effect<ApiKey | undefined>
  readonly find: (id: number) => Effect.Effect<ApiKey | undefined>
  readonly create: (key: NewApiKey) => Effect.Effect<number>
  /** False when there is no such key, or it was revoked before. */
  readonly revoke: (id: number, at: number) => Effect.Effect<boolean>
  readonly touch: (id: number, at: number) => Effect.Effect<void>
}>()("pulumi-vps/service/ApiKeys") {}
