/**
 * The execution of a task: steps at the upstream, then one transaction that records the outcome with the end of the
 * task. Every step can be repeated: it carries a key derived from the task, and the upstream executes a key once.
 */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Limits } from "../config/Limits.ts"
import type { Catalogue } from "../persistence/Catalogue.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import type { Isos } from "../persistence/Isos.ts"
import type * as Repositories from "../persistence/Repositories.ts"
import type { Task, TaskPurpose } from "../persistence/tasks/Task.ts"
import type { Done, Fault, Machine, Operation as DriverOperation, Rejected } from "../provisioning/Driver.ts"
import type { Secret } from "../config/Secret.ts"

/** The services available to the steps. */
export type StepServices = Catalogue | Isos | Secret

/** The services available to the transaction that records the outcome. */
export type RecordServices = Layer.Success<typeof Repositories.layer> | Limits

/**
 * The retry policy of a task. `default`: power actions and the like. `single`: a caller waits, so the worker retries it
 * only after a crash, once, which frees the lock. `persistent`: it has been paid for, or it repairs the upstream after
 * a failure, so it is retried for longer.
 */
export type RetryPolicy = "default" | "single" | "persistent"

/** A step with more than its operation. */
export interface Step {
  readonly operation: DriverOperation
  /** The faults after which the saga continues without this step; absent: none. */
  readonly optional?: (fault: Fault) => boolean
  /** The failed task whose step this is: its outcome is polled, and nothing is started. */
  readonly of?: number
}

/** The outcome of the steps. */
export interface SagaResult {
  /** As the last step left it; null when it is terminated, and when there was no step. */
  readonly machine: Machine | null
  /** One for each step, in order; undefined for a step that was skipped. */
  readonly done: ReadonlyArray<Done | undefined>
  /** The steps that were skipped, by type. */
  readonly skipped: ReadonlyArray<string>
}

/** The type of a task with its parameters as JSON text, from `Operation.task`. */
export type EncodedTask = Pick<Task, "type" | "params">

/** A task that reverts what a failed one may have left at the upstream. */
export interface Compensation extends EncodedTask {
  /** `doubt`: only when it is unknown whether the steps were executed; otherwise after every failure. */
  readonly after: "failure" | "doubt"
}

/** A task that follows a failed request. */
export interface FollowUp extends Compensation {
  readonly purpose: Exclude<TaskPurpose, "request">
}

export interface Saga {
  readonly retry: RetryPolicy
  /** Executed in order; all of them again after a fault or a crash. */
  readonly steps: Effect.Effect<ReadonlyArray<DriverOperation | Step>, Rejected, StepServices>
  /** `complete` may charge the account. Otherwise it only writes, and only what belongs to the instance. */
  readonly decidesByWallet: boolean
  /** Records success, in the transaction that ends the task. */
  readonly complete: (result: SagaResult, at: number) => Effect.Effect<void, never, RecordServices>
  /** Records the final failure, in the transaction that ends the task. In doubt, the steps may have been executed. */
  readonly fail: (at: number, doubt: boolean) => Effect.Effect<void, never, RecordServices>
  /**
   * Queued in the transaction that records the failure, so that it is as durable as the failure and retried like any
   * other task. Null when nothing can be left, when the next operation sets the upstream to our record anyway, and for
   * a task that follows another one itself: if that fails, it is left to an operator.
   */
  readonly followUp: FollowUp | null
}

/** A task with everything that its saga is made from. */
export interface TaskContext {
  readonly task: Task
  readonly instance: StoredInstance
  /** Supplied by a waiting caller, in memory only; null when the worker repeats the task. */
  readonly password: Redacted.Redacted<string> | null
}
