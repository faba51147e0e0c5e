/** Queries across all accounts, for operators only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Lifecycle } from "../domain/InstanceStatus.ts"
import type { Minor } from "../domain/Money.ts"
import type { Account } from "./Accounts.ts"
import { API_KEY, type ApiKey } from "./ApiKeys.ts"
import { columns, flag, optional, selectAll, selectOne } from "./Columns.ts"
import { COUPON, type StoredCoupon } from "./Coupons.ts"
import type { StoredInstance } from "./Instances.ts"
import type { JournalKind } from "./Journals.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { JOIN_OPEN_TASK, TASK, type Task, type TaskStatus } from "./tasks/Task.ts"

export interface ListedAccount extends Omit<Account, "creates"> {
  readonly createdAt: number
  /** Not counting deleted ones. */
  readonly instances: number
  /** Not counting revoked ones. */
  readonly keys: number
}

export interface ListedInstance extends
  Pick<
    StoredInstance,
    | "id"
    | "accountId"
    | "lifecycle"
    | "power"
    | "bootMode"
    | "booted"
    | "task"
    | "hostname"
    | "ipv4"
    | "createdAt"
    | "expiresAt"
  >
{
  /** Slug. */
  readonly plan: string
  /** True while a worker executes its open task. */
  readonly taskRunning: boolean
  readonly suspendedReason: string | null
  readonly suspendedNote: string | null
  readonly autoRenew: boolean
}

/** The change of a wallet by one journal. */
export interface StatementLine {
  readonly id: number
  readonly kind: JournalKind
  readonly reference: string
  readonly amount: Minor
  readonly currency: string
  readonly at: number
}

export interface InstanceFilter {
  readonly accountId: number | null
  readonly lifecycle: Lifecycle | null
}

export interface TaskFilter {
  readonly instanceId: number | null
  readonly status: TaskStatus | null
}

export class OperatorLists extends Context.Service<OperatorLists, {
  readonly hasAccounts: Effect.Effect<boolean>
  /** By id. */
  readonly accounts: (after: number, limit: number) => Effect.Effect<ReadonlyArray<ListedAccount>>
  readonly account: (id: number) => Effect.Effect<ListedAccount | undefined>
  /** By id; revoked and expired ones too. Null lists those of every account. */
  readonly keys: (accountId: number | null, limit: number) => Effect.Effect<ReadonlyArray<ApiKey>>
  /** Newest first; deleted ones only when the filter names that lifecycle. */
  readonly instances: (filter: InstanceFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedInstance>>
  /** Newest first. */
  readonly tasks: (filter: TaskFilter, limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** Newest first. */
  readonly statement: (accountId: number, limit: number) => Effect.Effect<ReadonlyArray<StatementLine>>
  /** By code. */
  readonly coupons: Effect.Effect<ReadonlyArray<StoredCoupon>>
}>()("pulumi-vps/service/OperatorLists") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const any = sql.one<[number]>("SELECT 1 FROM accounts LIMIT 1")
      const keys = selectAll(
        sql,
        API_KEY,
        "FROM api_keys WHERE CAST(?1 AS BIGINT) IS NULL OR account_id = ?1 ORDER BY id LIMIT ?2"
      )
      const instances = selectAll(sql, INSTANCE, INSTANCES)
      const tasks = selectAll(
        sql,
        TASK,
        `FROM tasks WHERE (CAST(?1 AS BIGINT) IS NULL OR instance_id = ?1)
           AND (CAST(?2 AS TEXT) IS NULL OR status = ?2) ORDER BY id DESC LIMIT ?3`
      )
      const statement = selectAll(
        sql,
        LINE,
        `FROM journals j JOIN entries e ON e.journal_id = j.id
         WHERE j.account_id = ? AND e.account = ? GROUP BY j.id ORDER BY j.id DESC LIMIT ?`
      )
      const coupons = selectAll(sql, COUPON, "FROM coupons ORDER BY code")
      return {
        hasAccounts: Rows.exists(any()),
        accounts: selectAll(sql, ACCOUNT, "FROM accounts a WHERE a.id > ? ORDER BY a.id LIMIT ?"),
        account: selectOne(sql, ACCOUNT, "FROM accounts a WHERE a.id = ?"),
        keys,
        instances: ({ accountId, lifecycle }, limit) => instances(accountId, lifecycle, limit),
        tasks: ({ instanceId, status }, limit) => tasks(instanceId, status, limit),
        statement: (accountId, limit) => statement(accountId, `wallet:${accountId}`, limit),
        coupons: coupons()
      }
    })
  )
}

const ACCOUNT = columns<ListedAccount>({
  id: "a.id",
  email: "a.email",
  currency: "a.currency",
  vat: { treatment: "a.vat_treatment", rate: "a.vat_rate" },
  wallet: "a.wallet",
  createdAt: "a.created_at",
  instances: "(SELECT count(*) FROM instances i WHERE i.account_id = a.id AND i.lifecycle <> 'deleted')",
  keys: "(SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)"
})

const INSTANCE = columns<ListedInstance>({
  id: "i.id",
  accountId: "i.account_id",
  plan: "s.slug",
  lifecycle: "i.lifecycle",
  power: "i.power",
  bootMode: "i.boot_mode",
  booted: "i.booted",
  task: optional("t.type"),
  taskRunning: flag("CASE WHEN t.status = 'running' THEN 1 ELSE 0 END"),
  hostname: "i.hostname",
  ipv4: "i.ipv4",
  suspendedReason: "i.suspended_reason",
  suspendedNote: "i.suspended_note",
  createdAt: "i.created_at",
  expiresAt: "i.expires_at",
  autoRenew: flag("i.auto_renew")
})

const INSTANCES = `FROM instances i JOIN orders o ON o.id = i.order_id JOIN sold_plans s ON s.id = o.sold_id
  ${JOIN_OPEN_TASK}
  WHERE (CAST(?1 AS BIGINT) IS NULL OR i.account_id = ?1)
    AND CASE WHEN CAST(?2 AS TEXT) IS NULL THEN i.lifecycle <> 'deleted' ELSE i.lifecycle = ?2 END
  ORDER BY i.id DESC LIMIT ?3`

const LINE = columns<StatementLine>({
  id: "j.id",
  kind: "j.kind",
  reference: "j.reference",
  amount: "CAST(sum(e.amount) AS BIGINT)",
  currency: "j.currency",
  at: "j.created_at"
})
