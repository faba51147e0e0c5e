/** The audit log: append-only; the database refuses changes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import { columns, placeholders, selectAll, selectOne, update } from "./Columns.ts"
import { Sql } from "./Sql.ts"

/** Null selects all. */
export interface AuditFilter {
  /** Only entries before this one. */
  readonly before: number | null
  /** An action, or the part before its first dot. */
  readonly action: string | null
  /** Part of the actor's name. */
  readonly actor: string | null
  readonly accountId: number | null
  readonly instanceId: number | null
  /** Epoch milliseconds, inclusive. */
  readonly since: number | null
  /** Epoch milliseconds, exclusive. */
  readonly until: number | null
}

/** An entry's place in the log, which proves all entries up to it. */
export type AuditHead = Pick<AuditEntry, "seq" | "hash">

export class AuditEntries extends Context.Service<AuditEntries, {
  /** A defect, which PostgreSQL's transactions repeat, if another entry took the number. */
  readonly append: (entry: AuditEntry) => Effect.Effect<void>
  /** The newest entry; undefined in an empty log. */
  readonly head: Effect.Effect<AuditHead | undefined>
  /** In order, from the first one after a number. */
  readonly after: (seq: number, limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
  /** Newest first. */
  readonly list: (filter: AuditFilter, limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
}>()("pulumi-vps/service/AuditEntries") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = update(sql, `INSERT INTO audit (${ENTRY.sql}) VALUES (${placeholders(ENTRY.names.length)})`)
      const list = selectAll(sql, ENTRY, LISTED)
      return {
        append: (entry) => insert(...ENTRY.encode(entry)),
        head: selectOne(sql, HEAD, "FROM audit ORDER BY seq DESC LIMIT 1")(),
        after: selectAll(sql, ENTRY, "FROM audit WHERE seq > ? ORDER BY seq LIMIT ?"),
        list: ({ accountId, action, actor, before, instanceId, since, until }, limit) =>
          list(before, action, actor?.toLowerCase() ?? null, accountId, instanceId, since, until, limit)
      }
    })
  )
}

/** In the order in which `encode` lists the values of a record. */
const ENTRY = columns<AuditEntry>({
  seq: "seq",
  at: "at",
  actor: {
    kind: "actor_kind",
    personId: "person_id",
    name: "actor",
    from: "origin",
    requestId: "request_id"
  },
  action: "action",
  accountId: "account_id",
  instanceId: "instance_id",
  details: "details",
  outcome: "outcome",
  error: "error",
  previous: "previous",
  hash: "hash"
})

const HEAD = columns<AuditHead>({ seq: "seq", hash: "hash" })

/** A condition that holds if its parameter is null. */
const unlessNull = (parameter: string, type: "BIGINT" | "TEXT", condition: string): string =>
  `(CAST(${parameter} AS ${type}) IS NULL OR ${condition})`

const LISTED = `FROM audit WHERE ${
  [
    unlessNull("?1", "BIGINT", "seq < ?1"),
    unlessNull("?2", "TEXT", "action = ?2 OR substr(action, 1, length(?2) + 1) = ?2 || '.'"),
    unlessNull("?3", "TEXT", "replace(lower(actor), ?3, '') <> lower(actor)"),
    unlessNull("?4", "BIGINT", "account_id = ?4"),
    unlessNull("?5", "BIGINT", "instance_id = ?5"),
    unlessNull("?6", "BIGINT", "at >= ?6"),
    unlessNull("?7", "BIGINT", "at < ?7")
  ].join(" AND ")
} ORDER BY seq DESC LIMIT ?8`
