import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "#contract/Scope"
import { type ApiKey, ApiKeys } from "../ApiKeys.ts"
import { Database } from "./Database.ts"

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

const optional = (row: Row | undefined) => row === undefined ? undefined : fromRow(row)

const make = Effect.map(Database, (db) => {
  const byDigest = db.one<Row>(`SELECT ${COLUMNS} FROM api_keys WHERE digest = ?`)
  const byId = db.one<Row>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`)
  const insert = db.run(
    `INSERT INTO api_keys (account_id, name, prefix, last4, digest, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const touch = db.run("UPDATE api_keys SET last_used_at = ? WHERE id = ?")
  const revoke = db.run("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
  return ApiKeys.of({
    findByDigest: (digest) => Effect.sync(() => optional(byDigest(digest))),
    find: (id) => Effect.sync(() => optional(byId(id))),
    create: (key) =>
      Effect.sync(() =>
        insert(
          key.accountId,
          key.name,
          key.prefix,
          key.last4,
          key.digest,
          key.scopes.join(" "),
          key.createdAt,
          key.expiresAt
        ).id
      ),
    revoke: (id, at) => Effect.sync(() => revoke(at, id).changes === 1),
    touch: (id, at) => Effect.sync(() => void touch(at, id))
  })
})

export const layer: Layer.Layer<ApiKeys, never, Database> = Layer.effect(ApiKeys, make)
