/**
 * The create that each idempotency key has bought. Keys are scoped to the API key that sent them, or to the account in
 * the panel: signing in again after a lost response must not buy again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectOne, update } from "./Columns.ts"
import { Sql } from "./Sql.ts"

export interface KeyOwner {
  readonly accountId: number
  /** Null in the panel. */
  readonly apiKeyId: number | null
}

export interface Claim {
  readonly owner: KeyOwner
  /** SHA-256 of the key, in hex. */
  readonly digest: string
  /** JSON text: a keyed digest of each field of the body. */
  readonly fingerprint: string
  readonly instanceId: number
  readonly at: number
}

export type Bought = Pick<Claim, "fingerprint" | "instanceId">

export class IdempotencyKeys extends Context.Service<IdempotencyKeys, {
  readonly find: (owner: KeyOwner, digest: string) => Effect.Effect<Bought | undefined>
  readonly insert: (claim: Claim) => Effect.Effect<void>
  /** Schedules the deletion of an instance's keys, in epoch milliseconds. */
  readonly expireAt: (instanceId: number, at: number) => Effect.Effect<void>
  /** Deletes expired keys. */
  readonly deleteExpired: (now: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const find = selectOne(sql, BOUGHT, "FROM idempotency_keys WHERE api_key_id = ? AND digest = ?")
      const findOfAccount = selectOne(sql, BOUGHT, "FROM idempotency_keys WHERE account_id = ? AND digest = ?")
      const inserting = (owner: "api_key_id" | "account_id") =>
        update(
          sql,
          `INSERT INTO idempotency_keys (${owner}, digest, fingerprint, instance_id, created_at) VALUES (?, ?, ?, ?, ?)`
        )
      const insert = inserting("api_key_id")
      const insertOfAccount = inserting("account_id")
      return {
        find: ({ accountId, apiKeyId }, digest) =>
          apiKeyId === null ? findOfAccount(accountId, short(digest)) : find(apiKeyId, short(digest)),
        insert: ({ at, digest, fingerprint, instanceId, owner: { accountId, apiKeyId } }) =>
          apiKeyId === null
            ? insertOfAccount(accountId, short(digest), fingerprint, instanceId, at)
            : insert(apiKeyId, short(digest), fingerprint, instanceId, at),
        expireAt: update(sql, "UPDATE idempotency_keys SET forget_at = ?2 WHERE instance_id = ?1"),
        deleteExpired: update(sql, "DELETE FROM idempotency_keys WHERE forget_at IS NOT NULL AND forget_at <= ?")
      }
    })
  )
}

export const NEXT_EXPIRY = "SELECT min(forget_at) FROM idempotency_keys WHERE forget_at IS NOT NULL"

const BOUGHT = columns<Bought>({ fingerprint: "fingerprint", instanceId: "instance_id" })

/** Half of a SHA-256 distinguishes more keys than there will ever be, and makes the index faster to read and write. */
const DIGEST_LENGTH = 32

const short = (digest: string): string => digest.slice(0, DIGEST_LENGTH)
