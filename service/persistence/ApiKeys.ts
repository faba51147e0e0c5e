/** API keys: only a digest of the secret is stored. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "@pulumi-vps/contract/Scope"
import { columns, selectAll, selectOne, update, updateOne, words } from "./Columns.ts"
import { Sql } from "./Sql.ts"

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
  /** The member who made it; null for the host, and for keys from before makers were recorded. */
  readonly personId: number | null
  /** The member's address, which remains when they are removed. */
  readonly madeBy: string | null
}

export interface NewApiKey extends Omit<ApiKey, "id" | "revokedAt" | "lastUsedAt"> {
  readonly digest: string
}

export const API_KEY = columns<ApiKey>({
  id: "id",
  accountId: "account_id",
  name: "name",
  prefix: "prefix",
  last4: "last4",
  scopes: words("scopes"),
  createdAt: "created_at",
  expiresAt: "expires_at",
  revokedAt: "revoked_at",
  lastUsedAt: "last_used_at",
  personId: "person_id",
  madeBy: "made_by"
})

export class ApiKeys extends Context.Service<ApiKeys, {
  readonly findByDigest: (digest: string) => Effect.Effect<ApiKey | undefined>
  readonly find: (id: number) => Effect.Effect<ApiKey | undefined>
  readonly create: (key: NewApiKey) => Effect.Effect<number>
  /** False when there is no such key, or it is revoked already. */
  readonly revoke: (id: number, at: number) => Effect.Effect<boolean>
  readonly setExpiry: (id: number, at: number) => Effect.Effect<void>
  /** Revokes those of an account that are not revoked; returns their number. */
  readonly revokeAll: (accountId: number, at: number) => Effect.Effect<number>
  /**
   * The keys that work at a moment and that a person may know, of one account or all, by id: those that they made, and
   * in accounts of which they are members, those without a maker.
   */
  readonly knownTo: (personId: number, accountId: number | null, at: number) => Effect.Effect<ReadonlyArray<ApiKey>>
  readonly touch: (id: number, at: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/ApiKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO api_keys
           (account_id, name, prefix, last4, digest, scopes, created_at, expires_at, person_id, made_by)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      )
      return {
        findByDigest: selectOne(sql, API_KEY, "FROM api_keys WHERE digest = ?"),
        find: selectOne(sql, API_KEY, "FROM api_keys WHERE id = ?"),
        create: ({
          accountId,
          createdAt,
          digest,
          expiresAt,
          last4,
          madeBy,
          name,
          personId,
          prefix,
          scopes
        }) => insert(accountId, name, prefix, last4, digest, scopes.join(" "), createdAt, expiresAt, personId, madeBy),
        revoke: updateOne(sql, "UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL"),
        setExpiry: update(sql, "UPDATE api_keys SET expires_at = ?2 WHERE id = ?1"),
        revokeAll: sql.run("UPDATE api_keys SET revoked_at = ?2 WHERE account_id = ?1 AND revoked_at IS NULL"),
        knownTo: selectAll(
          sql,
          API_KEY,
          `FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)
             AND (CAST(?2 AS BIGINT) IS NULL OR account_id = ?2)
             AND (person_id = ?1 OR person_id IS NULL
               AND account_id IN (SELECT m.account_id FROM memberships m WHERE m.person_id = ?1))
           ORDER BY id`
        ),
        touch: update(sql, "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1")
      }
    })
  )
}
