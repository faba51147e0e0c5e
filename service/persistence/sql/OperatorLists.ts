import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BootMode, Lifecycle, Power } from "../../domain/InstanceStatus.ts"
import type { Treatment } from "../../domain/Vat.ts"
import type { JournalKind } from "../Ledger.ts"
import { type ListedAccount, type ListedInstance, OperatorLists, type StatementLine } from "../OperatorLists.ts"
import { Sql } from "../Sql.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Coupons from "./Coupons.ts"
import * as Rows from "./Rows.ts"
import * as TaskRow from "./TaskRow.ts"

type AccountRow = [
  id: number,
  email: string,
  currency: string,
  treatment: Treatment,
  rate: number,
  wallet: number,
  createdAt: number,
  instances: number,
  keys: number
]

const ACCOUNTS = `SELECT a.id, a.email, a.currency, a.vat_treatment, a.vat_rate, a.wallet, a.created_at,
    (SELECT count(*) FROM instances i WHERE i.account_id = a.id AND i.lifecycle <> 'deleted'),
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)
  FROM accounts a`

const toAccount = (row: AccountRow): ListedAccount => ({
  id: row[0],
  email: row[1],
  currency: row[2],
  vat: { treatment: row[3], rate: row[4] },
  wallet: row[5],
  createdAt: row[6],
  instances: row[7],
  keys: row[8]
})

type InstanceRow = [
  id: number,
  accountId: number,
  plan: string,
  lifecycle: Lifecycle,
  power: Power,
  bootMode: BootMode,
  task: string | null,
  taskRunning: number,
  hostname: string | null,
  ipv4: string | null,
  suspendedReason: string | null,
  createdAt: number,
  expiresAt: number | null,
  autoRenew: number
]

const INSTANCES = `SELECT i.id, i.account_id, p.slug, i.lifecycle, i.power, i.boot_mode, t.type,
    CASE WHEN t.status = 'running' THEN 1 ELSE 0 END, i.hostname, i.ipv4, i.suspended_reason, i.created_at,
    i.expires_at, i.auto_renew
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
  LEFT JOIN tasks t ON t.instance_id = i.id AND t.kind = 'operation' AND t.status IN ('queued', 'running')
  WHERE (CAST(?1 AS BIGINT) IS NULL OR i.account_id = ?1)
    AND CASE WHEN CAST(?2 AS TEXT) IS NULL THEN i.lifecycle <> 'deleted' ELSE i.lifecycle = ?2 END
  ORDER BY i.id DESC LIMIT ?3`

const toInstance = (row: InstanceRow): ListedInstance => ({
  id: row[0],
  accountId: row[1],
  plan: row[2],
  lifecycle: row[3],
  power: row[4],
  bootMode: row[5],
  task: row[6] ?? undefined,
  taskRunning: row[7] === 1,
  hostname: row[8],
  ipv4: row[9],
  suspendedReason: row[10],
  createdAt: row[11],
  expiresAt: row[12],
  autoRenew: row[13] === 1
})

type StatementRow = [id: number, kind: JournalKind, reference: string, amount: number, currency: string, at: number]

const toLine = ([id, kind, reference, amount, currency, at]: StatementRow): StatementLine => ({
  id,
  kind,
  reference,
  amount,
  currency,
  at
})

const make = Effect.map(Sql, (sql) => {
  const any = sql.one<[number]>("SELECT 1 FROM accounts LIMIT 1")
  const accounts = sql.all<AccountRow>(`${ACCOUNTS} WHERE a.id > ? ORDER BY a.id LIMIT ?`)
  const account = sql.one<AccountRow>(`${ACCOUNTS} WHERE a.id = ?`)
  const keys = sql.all<ApiKeys.Row>(
    `SELECT ${ApiKeys.COLUMNS} FROM api_keys WHERE CAST(?1 AS BIGINT) IS NULL OR account_id = ?1 ORDER BY id LIMIT ?2`
  )
  const instances = sql.all<InstanceRow>(INSTANCES)
  const tasks = sql.all<TaskRow.Row>(
    `SELECT ${TaskRow.COLUMNS} FROM tasks WHERE (CAST(?1 AS BIGINT) IS NULL OR instance_id = ?1)
       AND (CAST(?2 AS TEXT) IS NULL OR status = ?2) ORDER BY id DESC LIMIT ?3`
  )
  const statement = sql.all<StatementRow>(
    `SELECT j.id, j.kind, j.reference, CAST(sum(e.amount) AS BIGINT), j.currency, j.created_at
     FROM journals j JOIN entries e ON e.journal_id = j.id
     WHERE j.account_id = ? AND e.account = ? GROUP BY j.id ORDER BY j.id DESC LIMIT ?`
  )
  const coupons = sql.all<Coupons.Row>(
    `SELECT ${Coupons.COLUMNS} FROM coupons ORDER BY code`
  )
  return OperatorLists.of({
    hasAccounts: Effect.map(any(), (row) => row !== undefined),
    accounts: (after, limit) => Rows.each(accounts(after, limit), toAccount),
    account: (id) => Rows.optional(account(id), toAccount),
    keys: (accountId, limit) => Rows.each(keys(accountId, limit), ApiKeys.fromRow),
    instances: ({ accountId, lifecycle }, limit) => Rows.each(instances(accountId, lifecycle, limit), toInstance),
    tasks: ({ instanceId, status }, limit) => Rows.each(tasks(instanceId, status, limit), TaskRow.toTask),
    statement: (accountId, limit) => Rows.each(statement(accountId, `wallet:${accountId}`, limit), toLine),
    coupons: Rows.each(coupons(), Coupons.toCoupon)
  })
})

export const layer: Layer.Layer<OperatorLists, never, Sql> = Layer.effect(OperatorLists, make)
