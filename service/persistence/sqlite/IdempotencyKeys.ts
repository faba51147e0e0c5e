import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdempotencyKeys } from "../IdempotencyKeys.ts"
import { Database } from "./Database.ts"

const make = Effect.map(Database, (db) => {
  const find = db.one<[fingerprint: string, instanceId: number]>(
    "SELECT fingerprint, instance_id FROM idempotency_keys WHERE api_key_id = ? AND digest = ?"
  )
  const insert = db.run(
    `INSERT INTO idempotency_keys (api_key_id, digest, fingerprint, instance_id, created_at) VALUES (?, ?, ?, ?, ?)`
  )
  return IdempotencyKeys.of({
    find: (apiKeyId, digest) =>
      Effect.sync(() => {
        const row = find(apiKeyId, digest)
        return row === undefined ? undefined : { fingerprint: row[0], instanceId: row[1] }
      }),
    remember: (claim) =>
      Effect.sync(() => void insert(claim.apiKeyId, claim.digest, claim.fingerprint, claim.instanceId, claim.at))
  })
})

export const layer: Layer.Layer<IdempotencyKeys, never, Database> = Layer.effect(IdempotencyKeys, make)
