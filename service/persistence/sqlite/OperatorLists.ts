import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BootMode, Lifecycle, Power } from "../../domain/InstanceStatus.ts"
import type { Treatment } from "../../domain/Vat.ts"
import type { JournalKind } from "../Ledger.ts"
import { type ListedAccount, type ListedInstance, OperatorLists, type StatementLine } from "../OperatorLists.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Coupons from "./Coupons.ts"
import { Database } from "./Database.ts"
import * as Tasks from "./Tasks.ts"

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
    coalesce(t.status = 'running', 0), i.hostname, i.ipv4, i.suspended_reason, i.created_at, i.expires_at,
    i.auto_renew
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
  LEFT JOIN tasks t ON t.instance_id = i.id AND t.kind = 'operation' AND t.status IN ('queued', 'running')
  WHERE (?1 IS NULL OR i.account_id = ?1)
    AND CASE WHEN ?2 IS NULL THEN i.lifecycle <> 'deleted' ELSE i.lifecycle = ?2 END
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

/** Prepared when it is first asked for: a service that no operator asks does not pay for it when it starts. */
const lazily = <A>(prepare: () => A): () => A => {
  let prepared: A | undefined
  return () => prepared ??= prepare()
}

const make = Effect.map(Database, (db) => {
  const any = lazily(() => db.one<[number]>("SELECT 1 FROM accounts LIMIT 1"))
  const accounts = lazily(() => db.all<AccountRow>(`${ACCOUNTS} WHERE a.id > ? ORDER BY a.id LIMIT ?`))
  const account = lazily(() => db.one<AccountRow>(`${ACCOUNTS} WHERE a.id = ?`))
  const keys = lazily(() =>
    db.all<ApiKeys.Row>(
      `SELECT ${ApiKeys.COLUMNS} FROM api_keys WHERE ?1 IS NULL OR account_id = ?1 ORDER BY id LIMIT ?2`
    )
  )
  const instances = lazily(() => db.all<InstanceRow>(INSTANCES))
  const tasks = lazily(() =>
    db.all<Tasks.Row>(
      `SELECT ${Tasks.COLUMNS} FROM tasks WHERE (?1 IS NULL OR instance_id = ?1) AND (?2 IS NULL OR status = ?2)
       ORDER BY id DESC LIMIT ?3`
    )
  )
  const statement = lazily(() =>
    // Numbers are bound as REAL, which would be written out as "1.0".
    db.all<StatementRow>(
      `SELECT j.id, j.kind, j.reference, sum(e.amount), j.currency, j.created_at
       FROM journals j JOIN entries e ON e.journal_id = j.id
       WHERE j.account_id = ?1 AND e.account = 'wallet:' || CAST(?1 AS INTEGER)
       GROUP BY j.id ORDER BY j.id DESC LIMIT ?2`
    )
  )
  const coupons = lazily(() => db.all<Coupons.Row>(`SELECT ${Coupons.COLUMNS} FROM coupons ORDER BY code`))
  return OperatorLists.of({
    hasAccounts: Effect.sync(() => any()() !== undefined),
    accounts: (after, limit) => Effect.sync(() => accounts()(after, limit).map(toAccount)),
    account: (id) => Effect.sync(() => account()(id)).pipe(Effect.map((row) => row && toAccount(row))),
    keys: (accountId, limit) => Effect.sync(() => keys()(accountId, limit).map(ApiKeys.fromRow)),
    instances: ({ accountId, lifecycle }, limit) =>
      Effect.sync(() => instances()(accountId, lifecycle, limit).map(toInstance)),
    tasks: ({ instanceId, status }, limit) => Effect.sync(() => tasks()(instanceId, status, limit).map(Tasks.toTask)),
    statement: (accountId, limit) => Effect.sync(() => statement()(accountId, limit).map(toLine)),
    coupons: Effect.sync(() => coupons()().map(Coupons.toCoupon))
  })
})

export const layer: Layer.Layer<OperatorLists, never, Database> = Layer.effect(OperatorLists, make)
