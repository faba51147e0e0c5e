import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdempotencyKeys } from "../IdempotencyKeys.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

/** Half of a SHA-256 tells more keys apart than there will ever be, and the index is read and written faster. */
const DIGEST_LENGTH = 32

const short = (digest: string): string => digest.slice(0, DIGEST_LENGTH)

const make = Effect.map(Sql, (sql) => {
  const find = sql.one<[fingerprint: string, instanceId: number]>(
    "SELECT fingerprint, instance_id FROM idempotency_keys WHERE api_key_id = ? AND digest = ?"
  )
  const insert = sql.run(
    `INSERT INTO idempotency_keys (api_key_id, digest, fingerprint, instance_id, created_at) VALUES (?, ?, ?, ?, ?)`
  )
  const forgetAt = sql.run("UPDATE idempotency_keys SET forget_at = ? WHERE instance_id = ?")
  const next = sql.one<[number | null]>("SELECT min(forget_at) FROM idempotency_keys WHERE forget_at IS NOT NULL")
  const forget = sql.run("DELETE FROM idempotency_keys WHERE forget_at IS NOT NULL AND forget_at <= ?")
  return IdempotencyKeys.of({
    find: (apiKeyId, digest) =>
      Rows.optional(find(apiKeyId, short(digest)), ([fingerprint, instanceId]) => ({ fingerprint, instanceId })),
    forgetAt: (instanceId, at) => Effect.asVoid(forgetAt(at, instanceId)),
    nextForgotten: Rows.optionalValue(next()),
    forget: (now) => Effect.asVoid(forget(now)),
    remember: (claim) =>
      Effect.asVoid(insert(claim.apiKeyId, short(claim.digest), claim.fingerprint, claim.instanceId, claim.at))
  })
})

export const layer: Layer.Layer<IdempotencyKeys, never, Sql> = Layer.effect(IdempotencyKeys, make)
