import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "#contract/Scope"
import { type ApiKey, ApiKeys } from "../ApiKeys.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

export type Row = [
  id: number,
  accountId: number,
  name: string,
  prefix: string,
  last4: string,
  scopes: string,
  createdAt: number,
  expiresAt: number | null,
  revokedAt: number | null,
  lastUsedAt: number | null
]

export const COLUMNS = "id, account_id, name, prefix, last4, scopes, created_at, expires_at, revoked_at, last_used_at"

export const fromRow = (row: Row): ApiKey => {
  const [id, accountId, name, prefix, last4, scopes, createdAt, expiresAt, revokedAt, lastUsedAt] = row
  const granted = scopes.split(" ") as ReadonlyArray<Scope>
  return { id, accountId, name, prefix, last4, scopes: granted, createdAt, expiresAt, revokedAt, lastUsedAt }
}

const make = Effect.map(Sql, (sql) => {
  const byDigest = sql.one<Row>(`SELECT ${COLUMNS} FROM api_keys WHERE digest = ?`)
  const byId = sql.one<Row>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`)
  const insert = sql.insert(
    `INSERT INTO api_keys (account_id, name, prefix, last4, digest, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const touch = sql.run("UPDATE api_keys SET last_used_at = ? WHERE id = ?")
  const revoke = sql.run("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
  return ApiKeys.of({
    findByDigest: (digest) => Rows.optional(byDigest(digest), fromRow),
    find: (id) => Rows.optional(byId(id), fromRow),
    create: ({ accountId, createdAt, digest, expiresAt, last4, name, prefix, scopes }) =>
      insert(accountId, name, prefix, last4, digest, scopes.join(" "), createdAt, expiresAt),
    revoke: (id, at) => Rows.changed(revoke(at, id)),
    touch: (id, at) => Effect.asVoid(touch(at, id))
  })
})

export const layer: Layer.Layer<ApiKeys, never, Sql> = Layer.effect(ApiKeys, make)
