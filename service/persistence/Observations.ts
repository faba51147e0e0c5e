/**
 * The parts of the data that open pages show, as short texts that differ after a change. Changes are found by
 * comparison, so that no write pays for pages that are not open, and writes of all replicas are found.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { JOIN_OPEN_TASK, OPEN } from "./tasks/Task.ts"

/** By the name of what is shown; of an instance, by its id. */
export type Observation = ReadonlyMap<string, string>

export class Observations extends Context.Service<Observations, {
  /** Differs after any write to the database. */
  readonly version: Effect.Effect<string>
  readonly account: (accountId: number) => Effect.Effect<Observation>
  readonly host: Effect.Effect<Observation>
}>()("@pulumi-vps/service/Observations") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const version = sql.one<[string]>(sql.dialect.version)
      const own = sql.one<[wallet: number, labels: number]>("SELECT wallet, labels_version FROM accounts WHERE id = ?")
      // Those of other hosts, too: they are few, and a page that reads its own again without need loses nothing.
      const announcements = sql.one<[string]>(
        "SELECT coalesce(max(id), 0) || '|' || coalesce(sum(version), 0) FROM announcements"
      )
      const instances = sql.all<[number, ...Array<unknown>]>(INSTANCES)
      const host = sql.one<Array<unknown>>(HOST)
      return {
        version: Rows.value(version()),
        account: Effect.fnUntraced(function*(accountId) {
          const [wallet, labels] = (yield* own(accountId)) ?? []
          const shown = new Map([
            ["wallet", String(wallet)],
            ["labels", String(labels)],
            ["announcements", yield* Rows.value(announcements())]
          ])
          for (const [id, ...rest] of yield* instances(accountId)) shown.set(String(id), rest.join("|"))
          return shown
        }),
        host: Effect.map(host(), (row) => new Map(PARTS.map((part, index) => [part, String(row![index])])))
      }
    })
  )
}

const INSTANCES = `SELECT i.id, i.lifecycle, i.power, i.boot_mode, i.booted, i.hostname, i.ipv4, i.auto_renew,
    i.expires_at, i.suspended_reason, i.iso_id, i.task_count, t.id, t.status, t.progress
  FROM instances i ${JOIN_OPEN_TASK} WHERE i.account_id = ? AND i.lifecycle <> 'deleted'`

/** The parts that operators see, in the order of the query's columns. */
const PARTS = ["tasks", "money", "accounts", "audit", "hosts"]

const HOST = `SELECT
  (SELECT count(*) || '|' || coalesce(max(id), 0) || '|' || coalesce(sum(progress), 0) || '|'
     || sum(CASE status WHEN 'running' THEN 1 ELSE 0 END) FROM tasks WHERE ${OPEN}),
  (SELECT max(id) FROM journals),
  (SELECT max(id) FROM accounts),
  (SELECT max(seq) FROM audit),
  (SELECT count(*) || '|' || coalesce(sum(used_cpus), 0) || '|' || sum(CASE state WHEN 'active' THEN 1 ELSE 0 END)
     FROM hosts)`
