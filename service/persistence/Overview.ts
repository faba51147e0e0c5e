/** Numbers about all accounts, for the operators' first page. Each query reads a bounded part of the database. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CustomerVat } from "../domain/Vat.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, placeholders, selectAll, selectOne } from "./Columns.ts"
import { INFORMED_PRICE } from "./Orders.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import type { JournalKind } from "../contract/Words.ts"

export interface TaskNumbers {
  readonly queued: number
  readonly running: number
  /** They wait for an approval. */
  readonly held: number
  /** The time at which the first queued one was due, in epoch milliseconds; null if none is queued. */
  readonly dueSince: number | null
}

export interface MoneySum {
  readonly currency: string
  readonly kind: JournalKind
  /** Change of all wallets together. */
  readonly amount: Minor
}

/** The next charge of an instance that will be renewed, with its account's wallet. */
export interface Renewing {
  readonly instanceId: number
  readonly hostname: string | null
  readonly accountId: number
  readonly wallet: Minor
  /** ISO 4217 code. */
  readonly currency: string
  readonly vat: CustomerVat
  /** As `Subscription` has them. */
  readonly price: Minor
  readonly nextPrice: Minor | null
  readonly nextPriceFrom: number | null
  readonly paidFrom: number
  readonly pausedMillis: number
  readonly expiresAt: number
  /** Until when a payment renews it; null unless it is expired. */
  readonly graceUntil: number | null
}

/** Tasks whose end is looked at: the newest ones, because there is no index on the end. */
const TASKS_READ = 10_000

export class Overview extends Context.Service<Overview, {
  /** Of the tasks that have not ended. */
  readonly tasks: (now: number) => Effect.Effect<TaskNumbers>
  /** The number of the newest tasks that failed at a moment or later. */
  readonly failedSince: (at: number) => Effect.Effect<number>
  readonly lifecycles: Effect.Effect<ReadonlyArray<readonly [lifecycle: string, count: number]>>
  /** By currency and kind, since a moment. */
  readonly money: (since: number) => Effect.Effect<ReadonlyArray<MoneySum>>
  /** Instances whose period ends before a moment and that are not renewed, soonest first. */
  readonly endings: (before: number, limit: number) => Effect.Effect<ReadonlyArray<Renewing>>
  /** Instances that are renewed at a moment or later, and before another one. */
  readonly renewals: (from: number, before: number) => Effect.Effect<ReadonlyArray<Renewing>>
  /** Expired ones that a payment renews. */
  readonly expired: Effect.Effect<ReadonlyArray<Renewing>>
  /** Of some accounts: those that are renewed before a moment, and expired ones that a payment renews. */
  readonly renewalsOf: (accounts: ReadonlyArray<number>, before: number) => Effect.Effect<ReadonlyArray<Renewing>>
  /** Ids of the accounts whose wallet is below zero. */
  readonly owing: Effect.Effect<ReadonlyArray<number>>
  /** Of the newest failed tasks, those that ended at a moment or later, by account. */
  readonly failures: (since: number) => Effect.Effect<ReadonlyArray<readonly [account: number, count: number]>>
}>()("@pulumi-vps/service/Overview") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const failed = sql.one<[number]>(
        `SELECT count(*) FROM (SELECT status, finished_at FROM tasks ORDER BY id DESC LIMIT ${TASKS_READ}) AS t
         WHERE t.status = 'failed' AND t.finished_at >= ?`
      )
      const lifecycles = sql.all<[string, number]>(
        "SELECT lifecycle, count(*) FROM instances WHERE lifecycle <> 'deleted' GROUP BY lifecycle ORDER BY lifecycle"
      )
      // Journals are in the order of their time, so this reads the newest ones only.
      const before = sql.one<[number]>("SELECT id FROM journals WHERE created_at < ? ORDER BY id DESC LIMIT 1")
      const money = selectAll(sql, SUM, SUMS)
      const owing = sql.all<[number]>("SELECT id FROM accounts WHERE owed_max > 0 AND wallet < 0 ORDER BY id")
      const tasks = selectOne(sql, TASKS, "FROM tasks WHERE finished_at IS NULL")
      return {
        tasks: (now) => Effect.map(tasks(now), (found) => found!),
        failedSince: (at) => Rows.value(failed(at)),
        lifecycles: lifecycles(),
        money: (since) => Effect.flatMap(before(since), (row) => money(row?.[0] ?? 0)),
        endings: selectAll(sql, RENEWING, ENDINGS),
        renewals: selectAll(sql, RENEWING, `${RENEWALS} AND ${ENDS} AND ${MOMENT} >= ? AND ${MOMENT} < ?`),
        expired: selectAll(sql, RENEWING, `${RENEWALS} AND ${EXPIRED}`)(),
        renewalsOf: (accounts, before) =>
          accounts.length === 0
            ? Effect.succeed([])
            : selectAll(
              sql,
              RENEWING,
              `${RENEWALS} AND i.account_id IN (${placeholders(accounts.length)})
                 AND (${EXPIRED} OR ${ENDS} AND ${MOMENT} < ?)`
            )(...accounts, before),
        owing: Rows.column(owing()),
        failures: sql.all<[number, number]>(FAILURES)
      }
    })
  )
}

const counted = (condition: string): string =>
  `CAST(coalesce(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0) AS BIGINT)`

const TASKS = columns<TaskNumbers>({
  queued: counted("status = 'queued' AND run_at IS NOT NULL"),
  running: counted("status = 'running'"),
  held: counted("status = 'queued' AND run_at IS NULL"),
  dueSince: "min(CASE WHEN status = 'queued' AND run_at <= ?1 THEN run_at END)"
})

const SUM = columns<MoneySum>({ currency: "j.currency", kind: "j.kind", amount: "CAST(sum(e.amount) AS BIGINT)" })

const SUMS = `FROM journals j JOIN entries e ON e.journal_id = j.id
  WHERE j.id > ? AND substr(e.account, 1, 7) = 'wallet:' GROUP BY j.currency, j.kind ORDER BY j.currency, j.kind`

/** The condition and the order are those of the index of instances that end. */
const ENDINGS = `FROM instances i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = i.account_id
  WHERE i.lifecycle IN ('active', 'suspended') AND i.expires_at IS NOT NULL AND i.free_since IS NULL
    AND coalesce(i.renew_after, i.expires_at) < ? AND i.auto_renew = 0
  ORDER BY coalesce(i.renew_after, i.expires_at), i.id LIMIT ?`

const RENEWING = columns<Renewing>({
  instanceId: "i.id",
  hostname: "i.hostname",
  accountId: "i.account_id",
  wallet: "a.wallet",
  currency: "a.currency",
  vat: { treatment: "a.vat_treatment", rate: "a.vat_rate" },
  price: "o.price",
  nextPrice: INFORMED_PRICE,
  nextPriceFrom: "o.next_price_from",
  paidFrom: "coalesce(i.paid_from, i.created_at)",
  pausedMillis: "i.paused_millis",
  expiresAt: "i.expires_at",
  graceUntil: "CASE WHEN i.lifecycle = 'expired' THEN i.grace_until END"
})

const MOMENT = "coalesce(i.renew_after, i.expires_at)"

const RENEWALS = `FROM instances i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = i.account_id
  WHERE i.auto_renew = 1`

/** The condition is that of the index of instances that end. */
const ENDS = "i.lifecycle IN ('active', 'suspended') AND i.expires_at IS NOT NULL AND i.free_since IS NULL"

/** The condition is that of the index of instances that are deleted. */
const EXPIRED = `i.lifecycle IN ('expired', 'failed') AND coalesce(i.terminate_at, i.grace_until) IS NOT NULL
  AND i.lifecycle = 'expired' AND i.terminate_at IS NULL`

/** The condition of the inner query is that of the index of tasks with an error. */
const FAILURES = `SELECT i.account_id, count(*) FROM (
    SELECT instance_id, finished_at FROM tasks WHERE status IN ('failed', 'cancelled') AND status = 'failed'
    ORDER BY id DESC LIMIT ${TASKS_READ}) AS t JOIN instances i ON i.id = t.instance_id
  WHERE t.finished_at >= ? GROUP BY i.account_id`
