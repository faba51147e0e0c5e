/** What operators look up across all accounts. Customers' requests never come here. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Lifecycle } from "../domain/InstanceStatus.ts"
import type { Minor } from "../domain/Money.ts"
import type { Account } from "./Accounts.ts"
import type { ApiKey } from "./ApiKeys.ts"
import type { StoredCoupon } from "./Coupons.ts"
import type { StoredInstance } from "./Instances.ts"
import type { JournalKind } from "./Ledger.ts"
import type { Task, TaskStatus } from "./Tasks.ts"

export interface ListedAccount extends Omit<Account, "creates"> {
  readonly createdAt: number
  /** Those that are not deleted. */
  readonly instances: number
  /** Those that are not revoked. */
  readonly keys: number
}

export interface ListedInstance extends
  Pick<
    StoredInstance,
    "id" | "accountId" | "lifecycle" | "power" | "bootMode" | "task" | "hostname" | "ipv4" | "createdAt" | "expiresAt"
  >
{
  /** Slug. */
  readonly plan: string
  /** Whether its open task is in work. */
  readonly taskRunning: boolean
  readonly suspendedReason: string | null
  readonly autoRenew: boolean
}

/** One journal, as it changed a wallet. */
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
  /** By id; revoked and expired ones too. Null lists every account's. */
  readonly keys: (accountId: number | null, limit: number) => Effect.Effect<ReadonlyArray<ApiKey>>
  /** Newest first; deleted ones only when asked for. */
  readonly instances: (filter: InstanceFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedInstance>>
  /** Newest first. */
  readonly tasks: (filter: TaskFilter, limit: number) => Effect.Effect<ReadonlyArray<Task>>
  /** Newest first. */
  readonly statement: (accountId: number, limit: number) => Effect.Effect<ReadonlyArray<StatementLine>>
  /** By code. */
  readonly coupons: Effect.Effect<ReadonlyArray<StoredCoupon>>
}>()("pulumi-vps/service/OperatorLists") {}
