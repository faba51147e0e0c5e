/** One operation in one place: its stored parameters, its saga, and what operators need to know about its failures. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OperationType } from "../domain/TaskType.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { type Fault, type Operation as DriverOperation, Rejected } from "../provisioning/Driver.ts"
import type {
  CompensatingTask,
  EncodedTask,
  RecordServices,
  RetryPolicy,
  Saga,
  SagaResult,
  Step,
  StepServices,
  TaskContext
} from "./Saga.ts"
import type { Lifecycle } from "../contract/Words.ts"

/** A task with its parameters decoded. */
export interface OperationContext<P> extends TaskContext {
  readonly params: P
}

/** Failed tasks after which the upstream may differ from our record. They are retained until they are reconciled. */
export interface Unreconciled {
  /** The possible difference at the upstream, for operators. */
  readonly left: string
  /** Only tasks with this flag in their parameters count: those that compensate for another one, or settle it. */
  readonly flag?: string
  /** A later success of one of these types reconciles it, too. */
  readonly settledBy?: ReadonlyArray<OperationType>
}

/** The recovery of a failed task by operators. */
export interface Recovery {
  /** It may be retried: it charged nothing, its end wiped no secret, and no record says that it failed. */
  readonly retryable?: boolean
  /** The lifecycles in which it still serves its purpose; absent: all but `deleted`. */
  readonly lifecycles?: ReadonlyArray<Lifecycle>
  readonly unreconciled?: Unreconciled
}

interface Definition<T extends OperationType, P> {
  readonly type: T
  /** Stored as JSON text, without secrets. Plain JSON, so that encoding needs no schema. */
  readonly params: Schema.Codec<P, P>
  readonly retry: RetryPolicy | ((params: P) => RetryPolicy)
  readonly execute: (
    context: OperationContext<P>
  ) => Effect.Effect<ReadonlyArray<DriverOperation | Step>, Rejected, StepServices>
  /** See `Saga.complete`; absent: nothing to record. */
  readonly complete?: (
    context: OperationContext<P>,
    result: SagaResult,
    at: number
  ) => Effect.Effect<void, never, RecordServices>
  /** See `Saga.fail`; absent: nothing to record. */
  readonly fail?: (
    context: OperationContext<P>,
    at: number,
    doubt: boolean
  ) => Effect.Effect<void, never, RecordServices>
  /** Part of every final failure, even if the stored parameters cannot be read. */
  readonly refund?: (context: TaskContext, at: number) => Effect.Effect<void, never, RecordServices>
  /**
   * See `Saga.compensation`; absent: nothing can be left. One that needs no parameters also follows when they cannot be
   * read: an earlier attempt, by another version, may have executed the steps.
   */
  readonly compensation?: CompensatingTask | ((params: P) => CompensatingTask | null)
  /**
   * Present: after a lost answer, a task of the same type polls the steps at the upstream, and `complete` records
   * those that were executed; the others are undefined.
   */
  readonly settle?: Omit<Unreconciled, "flag">
  /** Absent: the failure was compensated or refunded, so the customer repeats the request. */
  readonly recovery?: Recovery
}

/** `P` are the parameters; an operation with any parameters is an `Operation<T>`. */
export interface Operation<T extends OperationType = OperationType, P = never> {
  readonly type: T
  readonly recovery: Recovery
  /** A task to insert. */
  readonly task: (params: P) => EncodedTask & { readonly type: T }
  readonly saga: (context: TaskContext) => Saga
}

/** For an operation that takes no parameters. */
export const NoParams = Schema.Struct({})
export type NoParams = typeof NoParams.Type

const nothing = (): Effect.Effect<void> => Effect.void

const unreadable = <T extends OperationType, P>(
  { compensation, refund = nothing }: Definition<T, P>,
  context: TaskContext
): Saga => ({
  retry: "single",
  steps: Effect.fail(new Rejected({ reason: "the task's parameters cannot be read" })),
  complete: nothing,
  fail: (at) => refund(context, at),
  compensation: typeof compensation === "object" ? compensation : null
})

const bound = <T extends OperationType, P>(definition: Definition<T, P>, context: OperationContext<P>): Saga => {
  const { compensation, complete = nothing, execute, fail = nothing, refund = nothing, retry, settle } = definition
  const after = typeof compensation === "function" ? compensation(context.params) : compensation
  return {
    retry: typeof retry === "function" ? retry(context.params) : retry,
    steps: execute(context),
    complete: (result, at) => complete(context, result, at),
    fail: (at, doubt) => Effect.andThen(fail(context, at, doubt), refund(context, at)),
    compensation: (settle === undefined ? after : settlement(context.task)) ?? null
  }
}

/** The flag of a task that settles another one, in its parameters. */
const SETTLE = "settle"

/** The task that settles a failed one. */
const settlement = ({ id: of, params, type }: Task): CompensatingTask => ({
  type,
  params: JSON.stringify({ ...JSON.parse(params) as object, [SETTLE]: true, of }),
  after: "doubt"
})

/** The saga that settles task `of`; a step that never arrived, or failed, is skipped. */
const settling = (saga: Saga, of: number): Saga => ({
  ...saga,
  retry: "default",
  steps: Effect.map(saga.steps, (steps) =>
    steps.map((step) => ({
      operation: "operation" in step ? step.operation : step,
      of,
      optional: ({ _tag }: Fault) => _tag === "Rejected"
    }))),
  fail: nothing,
  compensation: null
})

const sagaOf = <T extends OperationType, P>(definition: Definition<T, P>, context: OperationContext<P>): Saga => {
  const saga = bound(definition, context)
  const { of } = JSON.parse(context.task.params) as { readonly of?: number }
  return definition.settle === undefined || of === undefined ? saga : settling(saga, of)
}

export const define = <const T extends OperationType, P>(definition: Definition<T, P>): Operation<T, P> => {
  const { params, settle, type } = definition
  const text = Schema.fromJsonString(params)
  return {
    type,
    recovery: settle === undefined
      ? definition.recovery ?? {}
      : { ...definition.recovery, unreconciled: { ...settle, flag: SETTLE } },
    task: (params) => ({ type, params: JSON.stringify(params) }),
    saga: (context) =>
      Option.match(Schema.decodeOption(text)(context.task.params), {
        onNone: () => unreadable(definition, context),
        onSome: (params) => sagaOf(definition, { ...context, params })
      })
  }
}
