/** The audit log: append-only; the database refuses changes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import { columns, contains, placeholders, selectAll, selectOne, update } from "./Columns.ts"
import { type Condition, given, indexed, isId, makeList, scanning } from "./Listing.ts"
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
  /** The number of an entry, an account or an instance, or a part of the actor, its address, the action or details. */
  readonly search: string | null
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
}>()("@pulumi-vps/service/AuditEntries") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = update(sql, `INSERT INTO audit (${ENTRY.sql}) VALUES (${placeholders(ENTRY.names.length)})`)
      const list = makeList(sql, { columns: ENTRY, table: "audit", alias: "e", id: "seq", newestFirst: true })
      return {
        append: (entry) => insert(...ENTRY.encode(entry)),
        head: selectOne(sql, HEAD, "FROM audit ORDER BY seq DESC LIMIT 1")(),
        after: selectAll(sql, ENTRY, "FROM audit WHERE seq > ? ORDER BY seq LIMIT ?"),
        list: (filter, limit) => list({ conditions: conditionsOf(filter), cursor: filter.before, limit })
      }
    })
  )
}

/** In the order in which `encode` lists the values of a record. */
export const ENTRY = columns<AuditEntry>({
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

const actorContains = (text: string) => scanning(contains("e.actor", "?"), text.toLowerCase())

const found = (text: string): Condition => {
  if (isId(text)) {
    const id = Number(text)
    return scanning("e.seq = ? OR e.account_id = ? OR e.instance_id = ?", id, id, id)
  }
  const places = ["e.actor", "e.action", "e.origin", "e.details"].map((column) => contains(column, "?"))
  return scanning(places.join(" OR "), ...places.map(() => text.toLowerCase()))
}

const ofAction = (action: string) =>
  scanning("e.action = ? OR substr(e.action, 1, length(?) + 1) = ? || '.'", action, action, action)

const conditionsOf = (
  { accountId, action, actor, instanceId, search, since, until }: AuditFilter
): ReadonlyArray<Condition> => [
  ...given(accountId, (id) => indexed("e.account_id = ?", id)),
  ...given(instanceId, (id) => indexed("e.instance_id = ?", id)),
  ...given(action, ofAction),
  ...given(actor, actorContains),
  ...given(since, (time) => scanning("e.at >= ?", time)),
  ...given(until, (time) => scanning("e.at < ?", time)),
  ...given(search, found)
]
