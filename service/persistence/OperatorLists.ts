/** Queries across all accounts, for operators only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Lifecycle } from "../domain/InstanceStatus.ts"
import type { AuditedInstance } from "../domain/MachineAudit.ts"
import { ACCOUNT, type Account } from "./Accounts.ts"
import { API_KEY, type ApiKey } from "./ApiKeys.ts"
import { columns, contains, flag, optional, selectAll, selectOne } from "./Columns.ts"
import { COUPON, type StoredCoupon } from "./Coupons.ts"
import type { StoredInstance } from "./Instances.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { JOIN_OPEN_TASK, TASK, type Task, type TaskStatus } from "./tasks/Task.ts"

export interface ListedAccount extends Account {
  readonly createdAt: number
  /** Null unless it is closed. */
  readonly closedAt: number | null
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

/** An instance as the audit of machines compares it. */
export interface InstanceMachine extends Omit<AuditedInstance, "tag" | "isRestartable"> {
  readonly id: number
  /** Starts by the service itself. */
  readonly restarts: number
}

export interface InstanceFilter {
  readonly accountId: number | null
  readonly lifecycle: Lifecycle | null
  /** An id, or a part of the hostname or of an address. */
  readonly search: string | null
  /** Only those before this id. */
  readonly before: number | null
}

export interface TaskFilter {
  readonly instanceId: number | null
  readonly status: TaskStatus | null
  /** Only those before this id. */
  readonly before: number | null
}

export class OperatorLists extends Context.Service<OperatorLists, {
  readonly hasAccounts: Effect.Effect<boolean>
  /** By id; all, or those whose e-mail address contains a text. */
  readonly accounts: (
    search: string | null,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ListedAccount>>
  readonly account: (id: number) => Effect.Effect<ListedAccount | undefined>
  /** By id; revoked and expired ones too. Null lists those of every account. */
  readonly keys: (accountId: number | null, after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKey>>
  /** Newest first; deleted ones only when the filter names that lifecycle. */
  readonly instances: (filter: InstanceFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedInstance>>
  /** Those that are not deleted, by id. Restarts are counted since a time. */
  readonly machines: (since: number) => Effect.Effect<ReadonlyArray<InstanceMachine>>
  /** Newest first. */
  readonly tasks: (filter: TaskFilter, limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** By code. */
  readonly coupons: Effect.Effect<ReadonlyArray<StoredCoupon>>
}>()("pulumi-vps/service/OperatorLists") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const any = sql.one<[number]>("SELECT 1 FROM accounts LIMIT 1")
      const accounts = selectAll(
        sql,
        LISTED_ACCOUNT,
        `FROM accounts a WHERE (CAST(?1 AS TEXT) IS NULL OR ${contains("a.email", "?1")})
           AND a.id > ?2 ORDER BY a.id LIMIT ?3`
      )
      const keys = selectAll(
        sql,
        API_KEY,
        "FROM api_keys WHERE (CAST(?1 AS BIGINT) IS NULL OR account_id = ?1) AND id > ?2 ORDER BY id LIMIT ?3"
      )
      const instances = selectAll(sql, INSTANCE, INSTANCES)
      const tasks = selectAll(
        sql,
        TASK,
        `FROM tasks WHERE (CAST(?1 AS BIGINT) IS NULL OR instance_id = ?1)
           AND (CAST(?2 AS TEXT) IS NULL OR status = ?2) AND (CAST(?3 AS BIGINT) IS NULL OR id < ?3)
           ORDER BY id DESC LIMIT ?4`
      )
      const coupons = selectAll(sql, COUPON, "FROM coupons ORDER BY code")
      return {
        hasAccounts: Rows.exists(any()),
        accounts: (search, after, limit) => accounts(search?.toLowerCase() ?? null, after, limit),
        account: selectOne(sql, LISTED_ACCOUNT, "FROM accounts a WHERE a.id = ?"),
        keys,
        instances: ({ accountId, before, lifecycle, search }, limit) =>
          instances(accountId, lifecycle, search?.toLowerCase() ?? null, before, limit),
        machines: selectAll(sql, MACHINE, MACHINES),
        tasks: ({ before, instanceId, status }, limit) => tasks(instanceId, status, before, limit),
        coupons: coupons()
      }
    })
  )
}

const LISTED_ACCOUNT = columns<ListedAccount>({
  ...ACCOUNT.definition("a"),
  createdAt: "a.created_at",
  closedAt: "a.closed_at",
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
    AND (CAST(?3 AS TEXT) IS NULL OR CAST(i.id AS TEXT) = ?3 OR ${contains("i.hostname", "?3")}
      OR ${contains("i.ipv4", "?3")} OR ${contains("i.ipv6", "?3")})
    AND (CAST(?4 AS BIGINT) IS NULL OR i.id < ?4)
  ORDER BY i.id DESC LIMIT ?5`

/** Types of tasks that start a machine or stop it. */
const POWER_TASKS = "'start', 'stop', 'restart', 'reinstall', 'rescue_enter', 'rescue_exit'"

/** The last of them is an entry of kind `audit`: the audit records that it has given a machine up. */
const GIVEN_UP = `CASE WHEN 'audit' = (SELECT l.kind FROM tasks l
    WHERE l.instance_id = i.id AND l.type IN (${POWER_TASKS}) ORDER BY l.id DESC LIMIT 1) THEN 1 ELSE 0 END`

const MACHINE = columns<InstanceMachine>({
  id: "i.id",
  lifecycle: "i.lifecycle",
  power: "i.power",
  isBusy: flag("CASE WHEN t.id IS NULL THEN 0 ELSE 1 END"),
  isDeployed: flag("CASE WHEN i.provider_id IS NULL THEN 0 ELSE 1 END"),
  host: "h.name",
  restarts: `(SELECT count(*) FROM tasks c WHERE c.instance_id = i.id AND c.kind = 'operation' AND c.type = 'start'
    AND c.actor = 'system' AND c.created_at > ?1)`,
  isGivenUp: flag(GIVEN_UP)
})

const MACHINES = `FROM instances i ${JOIN_OPEN_TASK}
  LEFT JOIN reservations r ON r.instance_id = i.id LEFT JOIN hosts h ON h.id = r.host_id
  WHERE i.lifecycle <> 'deleted' ORDER BY i.id`
