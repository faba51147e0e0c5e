/**
 * What a task does: steps at the upstream, then one transaction that records the outcome together with the task's end.
 * Every step can be repeated: it carries a key derived from the task, and the upstream does a key once.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { Limits, LimitValues } from "../config/Limits.ts"
import type { Accounts } from "../persistence/Accounts.ts"
import type { Backups } from "../persistence/Backups.ts"
import type { Catalogue } from "../persistence/Catalogue.ts"
import type { Contracts } from "../persistence/Contracts.ts"
import type { Coupons } from "../persistence/Coupons.ts"
import type { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import type { Instances, StoredInstance } from "../persistence/Instances.ts"
import type { Isos } from "../persistence/Isos.ts"
import type { LedgerBook } from "../persistence/Ledger.ts"
import type { Orders } from "../persistence/Orders.ts"
import type { Snapshots } from "../persistence/Snapshots.ts"
import type { Task, TaskType } from "../persistence/tasks/Task.ts"
import type { Tasks } from "../persistence/Tasks.ts"
import {
  type Done,
  type DriverRequest,
  type Fault,
  type Machine,
  type Operation,
  type Rejected,
  tagOf
} from "../provisioning/Driver.ts"
import type { Secret } from "../Secret.ts"

/** What the recording transaction may touch. */
export type Repositories =
  | Accounts
  | Backups
  | Catalogue
  | Contracts
  | Coupons
  | IdempotencyKeys
  | Instances
  | LedgerBook
  | Limits
  | Orders
  | Snapshots
  | Tasks

/** How long a task is tried. */
export interface RetryBudget {
  /** Tries, at least. */
  readonly attempts: number
  /** Milliseconds since it was first taken, at least; both must be used up before it fails for good. */
  readonly millis: number
  /** How long one try may take, in milliseconds; after that it counts as a transient fault. */
  readonly attemptMillis: number
}

/** The budget of a kind of operation, within the limits in effect. */
export type RetryPolicy = (limits: LimitValues) => RetryBudget

/** Power actions and the like. */
export const DEFAULT_BUDGET: RetryPolicy = ({ ATTEMPTS_MAX, OPERATION_PATIENCE_MILLIS }) => ({
  attempts: ATTEMPTS_MAX,
  millis: 0,
  attemptMillis: OPERATION_PATIENCE_MILLIS
})

/** Operations that a caller waited for and that were cut off by a crash: repeated once, so that the lock is freed. */
export const SINGLE_ATTEMPT: RetryPolicy = ({ UPSTREAM_CALL_MILLIS }) => ({
  attempts: 1,
  millis: 0,
  attemptMillis: UPSTREAM_CALL_MILLIS
})

/** What has been paid for is tried for longer, and so is what sets the upstream right after a failure. */
export const PAID_BUDGET: RetryPolicy = ({ ATTEMPTS_MAX, PROVISION_PATIENCE_MILLIS }) => ({
  attempts: ATTEMPTS_MAX,
  millis: PROVISION_PATIENCE_MILLIS,
  attemptMillis: PROVISION_PATIENCE_MILLIS
})

/** A step that has more to say than what to do. */
export interface Step {
  readonly operation: Operation
  /** The faults that the plan goes on without it after; none unless given. */
  readonly optional?: (fault: Fault) => boolean
  /** What sets back what this step changed, when a later one fails a caller who waits; tried once. */
  readonly compensate?: Operation
}

/** What the steps came to. */
export interface SagaResult {
  /** As the last step left it; null when it is terminated, and when there was no step. */
  readonly machine: Machine | null
  /** One for each step, in order; undefined for those that the plan went on without. */
  readonly done: ReadonlyArray<Done | undefined>
}

/** A task that undoes what another may have left at the upstream. */
export interface CompensatingTask {
  readonly type: TaskType
  /** JSON text. */
  readonly params: string
  /** `doubt`: only when it is not known whether the steps were done; else after every failure. */
  readonly after: "failure" | "doubt"
}

export interface Saga {
  readonly retry: RetryPolicy
  /** Done in order; all of them again after a fault or a crash. Refused when the order cannot be carried out. */
  readonly steps: Effect.Effect<
    ReadonlyArray<Operation | Step>,
    Rejected | Schema.SchemaError,
    Catalogue | Isos | Secret
  >
  /** Records success, in the transaction that ends the task. */
  readonly complete: (carried: SagaResult, at: number) => Effect.Effect<void, never, Repositories>
  /** Records failure for good, in the transaction that ends the task. In doubt, the steps may have been done. */
  readonly fail: (at: number, doubt: boolean) => Effect.Effect<void, never, Repositories>
  /**
   * Queued in the transaction that records the failure, so that it is as durable as the failure and is retried like
   * any other task. Null when nothing can be left, or when our record says again at the next operation what holds.
   */
  readonly compensation: CompensatingTask | null
}

/** What a plan is made from. */
export interface TaskContext {
  readonly task: Task
  readonly instance: StoredInstance
  /** What a caller who waits has brought along, in memory only; null when the worker repeats the task. */
  readonly password: Redacted.Redacted<string> | null
}

/** A step as the driver gets it; its key is the same whenever that step is repeated, by whomever. */
export const driverRequest = (
  { instance, task }: TaskContext,
  step: number | string,
  operation: Operation
): DriverRequest => ({
  key: `task-${task.id}-${step}-${operation.type}`,
  tag: tagOf(instance.id),
  providerId: instance.providerId,
  operation
})

/** Steps that leave nothing to undo or to tell. */
export const nothingToRecord = (): Effect.Effect<void> => Effect.void
