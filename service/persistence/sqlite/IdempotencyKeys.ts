import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdempotencyKeys } from "../IdempotencyKeys.ts"
import { Database } from "./Database.ts"

/** Half of a SHA-256 tells more keys apart than there will ever be, and the index is read and written faster. */
const DIGEST_LENGTH = 32

const short = (digest: string): string => digest.slice(0, DIGEST_LENGTH)

const make = Effect.map(Database, (db) => {
  const find = db.one<[fingerprint: string, instanceId: number]>(
    "SELECT fingerprint, instance_id FROM idempotency_keys WHERE api_key_id = ? AND digest = ?"
  )
  const insert = db.run(
    `INSERT INTO idempotency_keys (api_key_id, digest, fingerprint, instance_id, created_at) VALUES (?, ?, ?, ?, ?)`
  )
  const forgetAt = db.run("UPDATE idempotency_keys SET forget_at = ? WHERE instance_id = ?")
  const next = db.one<[number | null]>("SELECT min(forget_at) FROM idempotency_keys WHERE forget_at IS NOT NULL")
  const forget = db.run("DELETE FROM idempotency_keys WHERE forget_at IS NOT NULL AND forget_at <= ?")
  return IdempotencyKeys.of({
    find: (apiKeyId, digest) =>
      Effect.sync(() => {
        const row = find(apiKeyId, short(digest))
        return row === undefined ? undefined : { fingerprint: row[0], instanceId: row[1] }
      }),
    forgetAt: (instanceId, at) => Effect.sync(() => void forgetAt(at, instanceId)),
    nextForgotten: Effect.sync(() => next()![0] ?? undefined),
    forget: (now) => Effect.sync(() => void forget(now)),
    remember: (claim) =>
      Effect.sync(() => void insert(claim.apiKeyId, short(claim.digest), claim.fingerprint, claim.instanceId, claim.at))
  })
})

export const layer: Layer.Layer<IdempotencyKeys, never, Database> = Layer.effect(IdempotencyKeys, make)
