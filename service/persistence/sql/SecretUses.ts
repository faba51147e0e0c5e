import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SECRET_HEAD_LENGTH as HEAD, secretIdOf } from "../../Secret.ts"
import { type SecretUse, SecretUses } from "../SecretUses.ts"
import { Sql } from "../Sql.ts"

const make = Effect.map(Sql, (sql) => {
  const keys = sql.all<[string, number]>(
    `SELECT substr(digest, 1, ${HEAD}), count(*) FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) GROUP BY 1`
  )
  // Apart, so that each is found by the index of its state: ended tasks are a hundred times as many.
  const ofStatus = (status: string) => `SELECT sealed FROM tasks WHERE sealed IS NOT NULL AND status = '${status}'`
  const tasks = sql.all<[string, number]>(
    `SELECT substr(sealed, 1, ${HEAD}), count(*) FROM (${ofStatus("queued")} UNION ALL ${ofStatus("running")}) AS open
     GROUP BY 1`
  )
  const between = sql.all<[number, string]>(
    `SELECT id, substr(digest, 1, ${HEAD}) FROM api_keys WHERE id BETWEEN ? AND ?`
  )
  const redigest = sql.run("UPDATE api_keys SET digest = ? WHERE id = ?")
  return SecretUses.of({
    all: Effect.fnUntraced(function*(now: number) {
      const found = new Map<string | null, SecretUse>()
      const add = (head: string, more: Partial<SecretUse>) => {
        const id = secretIdOf(head) ?? null
        const { keys = 0, tasks = 0 } = found.get(id) ?? {}
        found.set(id, { id, keys: keys + (more.keys ?? 0), tasks: tasks + (more.tasks ?? 0) })
      }
      for (const [head, count] of yield* keys(now)) add(head, { keys: count })
      for (const [head, count] of yield* tasks()) add(head, { tasks: count })
      return [...found.values()]
    }),
    ofKeys: (first, last) =>
      Effect.map(between(first, last), (rows) => new Map(rows.map(([id, head]) => [id, secretIdOf(head) ?? null]))),
    redigest: (apiKeyId, digest) => Effect.asVoid(redigest(digest, apiKeyId))
  })
})

export const layer: Layer.Layer<SecretUses, never, Sql> = Layer.effect(SecretUses, make)
