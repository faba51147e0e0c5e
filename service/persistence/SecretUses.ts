/** The API key digests and encrypted passwords that depend on each of the service's secrets. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SECRET_HEAD_LENGTH as HEAD, secretIdOf } from "../config/Secret.ts"
import { update } from "./Columns.ts"
import { Sql } from "./Sql.ts"
import { OPEN } from "./tasks/Task.ts"

/** The number of records that depend on one secret. */
export interface SecretUse {
  /** The secret's id; null for records of versions without ids. */
  readonly id: string | null
  /** API keys that are neither revoked nor expired. */
  readonly keys: number
  /** Open tasks with an encrypted password. */
  readonly tasks: number
}

export class SecretUses extends Context.Service<SecretUses, {
  /** At a moment, in epoch milliseconds; unused secrets are absent. */
  readonly all: (now: number) => Effect.Effect<ReadonlyArray<SecretUse>>
  /** The secret's id for each key from the first id to the last; null for those of versions without ids. */
  readonly ofKeys: (first: number, last: number) => Effect.Effect<ReadonlyMap<number, string | null>>
  /** Replaces the digest of a key. */
  readonly redigest: (apiKeyId: number, digest: string) => Effect.Effect<void>
}>()("@pulumi-vps/service/SecretUses") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const keys = sql.all<[string, number]>(
        `SELECT substr(digest, 1, ${HEAD}), count(*) FROM api_keys
         WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY 1`
      )
      const tasks = sql.all<[string, number]>(
        `SELECT substr(sealed, 1, ${HEAD}), count(*) FROM tasks
         WHERE ${OPEN} AND sealed IS NOT NULL GROUP BY 1`
      )
      const between = sql.all<[number, string]>(
        `SELECT id, substr(digest, 1, ${HEAD}) FROM api_keys WHERE id BETWEEN ? AND ?`
      )
      return {
        all: Effect.fnUntraced(function*(now) {
          const uses = new Map<string | null, SecretUse>()
          const add = (head: string, more: Partial<SecretUse>) => {
            const id = secretIdOf(head) ?? null
            const { keys = 0, tasks = 0 } = uses.get(id) ?? {}
            uses.set(id, { id, keys: keys + (more.keys ?? 0), tasks: tasks + (more.tasks ?? 0) })
          }
          for (const [head, count] of yield* keys(now)) add(head, { keys: count })
          for (const [head, count] of yield* tasks()) add(head, { tasks: count })
          return [...uses.values()]
        }),
        ofKeys: (first, last) =>
          Effect.map(between(first, last), (rows) => new Map(rows.map(([id, head]) => [id, secretIdOf(head) ?? null]))),
        redigest: update(sql, "UPDATE api_keys SET digest = ?2 WHERE id = ?1")
      }
    })
  )
}
