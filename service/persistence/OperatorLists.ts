/** Queries across all accounts, for operators only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { operationsWith } from "@pulumi-vps/contract/OperationPower"
import { isInstanceOperation } from "../domain/InstanceMachine.ts"
import type { AuditedInstance } from "../domain/Finding.ts"
import { ACCOUNT, type Account } from "./Accounts.ts"
import { API_KEY, type ApiKey } from "./ApiKeys.ts"
import {
  among,
  columns,
  contains,
  type Definition,
  flag,
  optional,
  placeholders,
  selectAll,
  selectOne
} from "./Columns.ts"
import { type Condition, few, given, indexed, makeList, scanning } from "./Listing.ts"
import { COUPON, type StoredCoupon } from "./Coupons.ts"
import type { StoredInstance } from "./Instances.ts"
import { machineTag } from "./MachineTag.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { JOIN_OPEN_TASK } from "./tasks/Task.ts"
import { LISTED_TASK, type ListedTask, makeTaskList, OF_INSTANCE, type TaskFilter } from "./tasks/TaskList.ts"
import type { Lifecycle } from "../contract/Words.ts"

export interface ListedAccount extends Account {
  readonly createdAt: number
  /** Null unless it is closed. */
  readonly closedAt: number | null
  /** Null unless it is frozen. */
  readonly frozenAt: number | null
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

/** An instance with what its list leaves out. */
export interface DetailedInstance extends ListedInstance {
  /** The account's address. */
  readonly email: string
  readonly ipv6: string | null
  /** Name of the host that has it; null while it has none, or is simulated. */
  readonly host: string | null
  /** Of its machine, at the upstream. */
  readonly tag: string
  /** List price of the next period. */
  readonly price: number
  readonly currency: string
  /** Name, and label of the data center, of the plan as it was sold. */
  readonly planName: string
  readonly dataCenter: string
  /** The time at which an expired or failed instance is deleted; null for others. */
  readonly deletedAt: number | null
}

/** An instance as the audit of machines compares it. */
export interface InstanceMachine extends Omit<AuditedInstance, "isRestartable"> {
  readonly id: number
  /** Starts by the service itself. */
  readonly restarts: number
}

/** Null selects all. */
export interface InstanceFilter {
  readonly id: number | null
  readonly accountId: number | null
  readonly lifecycle: Lifecycle | null
  /** An id, or a part of the hostname or of an address. */
  readonly search: string | null
  /** Only those before this id. */
  readonly before: number | null
}

export class OperatorLists extends Context.Service<OperatorLists, {
  readonly hasAccounts: Effect.Effect<boolean>
  /** By id; all, or those that have a text as their id, or in their e-mail address, and those of some ids. */
  readonly accounts: (
    search: string | null,
    after: number,
    limit: number,
    ids?: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<ListedAccount>>
  readonly account: (id: number) => Effect.Effect<ListedAccount | undefined>
  /** By id; revoked and expired ones too. Null lists those of every account. */
  readonly keys: (accountId: number | null, after: number, limit: number) => Effect.Effect<ReadonlyArray<ApiKey>>
  /** Newest first; deleted ones only when the filter names that lifecycle. */
  readonly instances: (filter: InstanceFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedInstance>>
  /** Deleted ones, too. */
  readonly instance: (id: number) => Effect.Effect<DetailedInstance | undefined>
  /** Those that are not deleted, by id. Restarts are counted since a time. */
  readonly machines: (since: number) => Effect.Effect<ReadonlyArray<InstanceMachine>>
  /** Newest first. */
  readonly tasks: (filter: TaskFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedTask>>
  readonly task: (id: number) => Effect.Effect<ListedTask | undefined>
  /** By code. */
  readonly coupons: Effect.Effect<ReadonlyArray<StoredCoupon>>
}>()("@pulumi-vps/service/OperatorLists") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const any = sql.one<[number]>("SELECT 1 FROM accounts LIMIT 1")
      const accounts = makeList(sql, {
        columns: LISTED_ACCOUNT,
        table: "accounts",
        alias: "a",
        id: "id",
        newestFirst: false
      })
      const keys = makeList(sql, { columns: API_KEY, table: "api_keys", alias: "k", id: "id", newestFirst: false })
      const instances = makeList(sql, {
        columns: INSTANCE,
        table: "instances",
        alias: "i",
        id: "id",
        joins: WITH_PLAN_AND_TASK,
        newestFirst: true
      })
      const coupons = selectAll(sql, COUPON, "FROM coupons ORDER BY code")
      return {
        hasAccounts: Rows.exists(any()),
        accounts: (search, after, limit, ids) =>
          accounts({
            conditions: [...given(ids ?? null, amongIds), ...given(search?.toLowerCase() ?? null, accountFound)],
            cursor: after,
            limit
          }),
        account: selectOne(sql, LISTED_ACCOUNT, "FROM accounts a WHERE a.id = ?"),
        keys: (accountId, after, limit) =>
          keys({
            conditions: given(accountId, (id) => indexed("k.account_id = ?", id)),
            cursor: after,
            limit
          }),
        instances: (filter, limit) =>
          instances({ conditions: instanceConditions(filter), cursor: filter.before, limit }),
        instance: selectOne(sql, DETAILED_INSTANCE, DETAILED_INSTANCES),
        machines: selectAll(sql, MACHINE, MACHINES),
        tasks: makeTaskList(sql),
        task: selectOne(sql, LISTED_TASK, `FROM tasks t ${OF_INSTANCE} WHERE t.id = ?`),
        coupons: coupons()
      }
    })
  )
}

const LISTED_ACCOUNT = columns<ListedAccount>({
  ...ACCOUNT.definition("a"),
  createdAt: "a.created_at",
  closedAt: "a.closed_at",
  frozenAt: "a.frozen_at",
  instances: "(SELECT count(*) FROM instances i WHERE i.account_id = a.id AND i.lifecycle <> 'deleted')",
  keys: "(SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)"
})

const LISTED_INSTANCE: Definition<ListedInstance> = {
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
}

const INSTANCE = columns<ListedInstance>(LISTED_INSTANCE)

const DETAILED_INSTANCE = columns<DetailedInstance>({
  ...LISTED_INSTANCE,
  email: "a.email",
  ipv6: "i.ipv6",
  host: "h.name",
  tag: machineTag("i"),
  price: "o.price",
  currency: "s.currency",
  planName: "s.name",
  dataCenter: "d.label",
  deletedAt: "coalesce(i.terminate_at, i.grace_until)"
})

const WITH_PLAN_AND_TASK = `JOIN orders o ON o.id = i.order_id JOIN sold_plans s ON s.id = o.sold_id
  ${JOIN_OPEN_TASK}`

const DETAILED_INSTANCES = `FROM instances i ${WITH_PLAN_AND_TASK}
  JOIN accounts a ON a.id = i.account_id JOIN data_centers d ON d.id = s.data_center_id
  LEFT JOIN reservations r ON r.instance_id = i.id LEFT JOIN hosts h ON h.id = r.host_id WHERE i.id = ?`

/** Every value of a statement is a parameter, of which databases accept so many. */
const IDS_MAX = 10_000

const amongIds = (ids: ReadonlyArray<number>): Condition => {
  const some = ids.slice(0, IDS_MAX)
  return few(some.length === 0 ? "a.id IS NULL" : `a.id IN (${placeholders(some.length)})`, ...some)
}

const accountFound = (text: string): Condition =>
  scanning(`CAST(a.id AS TEXT) = ? OR ${contains("a.email", "?")} OR ${contains("a.name", "?")}`, text, text, text)

const instanceFound = (text: string): Condition => {
  const places = ["i.hostname", "i.ipv4", "i.ipv6"].map((column) => contains(column, "?"))
  return scanning(["CAST(i.id AS TEXT) = ?", ...places].join(" OR "), text, text, text, text)
}

/** Those that few instances are in have an index, whose condition a query has to repeat. */
const RARE: ReadonlySet<Lifecycle> = new Set(["suspended", "expired", "failed", "deleted"])

const ofLifecycle = (lifecycle: Lifecycle): Condition =>
  RARE.has(lifecycle)
    ? indexed(`i.lifecycle IN ('suspended', 'expired', 'failed', 'deleted') AND i.lifecycle = '${lifecycle}'`)
    : scanning("i.lifecycle = ?", lifecycle)

const instanceConditions = ({ accountId, id, lifecycle, search }: InstanceFilter): ReadonlyArray<Condition> => [
  ...given(id, (one) => indexed("i.id = ?", one)),
  ...given(accountId, (one) => indexed("i.account_id = ?", one)),
  lifecycle === null ? scanning("i.lifecycle <> 'deleted'") : ofLifecycle(lifecycle),
  ...given(search?.toLowerCase() ?? null, instanceFound)
]

/** The requests that start a machine, stop it, or boot it. */
const POWER_TASKS = among(operationsWith("on", "off", "reboot").filter(isInstanceOperation))

/** The last of them is an entry of kind `audit`: the audit records that it has given a machine up. */
const GIVEN_UP = `CASE WHEN 'audit' = (SELECT l.kind FROM tasks l
    WHERE l.instance_id = i.id AND l.type ${POWER_TASKS} ORDER BY l.id DESC LIMIT 1) THEN 1 ELSE 0 END`

const MACHINE = columns<InstanceMachine>({
  id: "i.id",
  tag: machineTag("i"),
  lifecycle: "i.lifecycle",
  power: "i.power",
  isBusy: flag("CASE WHEN t.id IS NULL THEN 0 ELSE 1 END"),
  isDeployed: flag("CASE WHEN i.provider_id IS NULL THEN 0 ELSE 1 END"),
  host: "h.name",
  target: "m.name",
  restarts: `(SELECT count(*) FROM tasks c WHERE c.instance_id = i.id AND c.kind = 'operation' AND c.type = 'start'
    AND c.actor = 'system' AND c.created_at > ?1)`,
  isGivenUp: flag(GIVEN_UP)
})

const MACHINES = `FROM instances i ${JOIN_OPEN_TASK}
  LEFT JOIN reservations r ON r.instance_id = i.id LEFT JOIN hosts h ON h.id = r.host_id
  LEFT JOIN hosts m ON m.id = r.target_id
  WHERE i.lifecycle <> 'deleted' ORDER BY i.id`
