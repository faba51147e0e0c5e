/** One operation in one place: its stored parameters, its saga, and what operators need to know about its failures. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OperationType } from "@pulumi-vps/contract/OperationPower"
import { type Operation as DriverOperation, Rejected } from "../provisioning/Driver.ts"
import type {
  Compensation,
  EncodedTask,
  FollowUp,
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

/**
 * Failed tasks after which the upstream may differ from our record. They are retained until they are reconciled. Of an
 * operation that customers request, only compensations and settlements are meant.
 */
export interface Unreconciled {
  /** The possible difference at the upstream, for operators. */
  readonly left: string
  /** A later success of one of these types reconciles it, too. */
  readonly supersededBy?: ReadonlyArray<OperationType>
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
  /** For requests: a compensation is `persistent`, a settlement `default`. */
  readonly retry: RetryPolicy
  readonly execute: (
    context: OperationContext<P>
  ) => Effect.Effect<ReadonlyArray<DriverOperation | Step>, Rejected, StepServices>
  /** See `Saga.decidesByWallet`; absent: it does not. */
  readonly decidesByWallet?: true
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
   * See `Saga.followUp`; absent: nothing can be left. One that needs no parameters also follows when they cannot be
   * read: an earlier attempt, by another version, may have executed the steps.
   */
  readonly compensation?: Compensation | ((params: P) => Compensation)
  /**
   * Present: after a lost answer, a task of the same type polls the steps at the upstream, and `complete` records
   * those that were executed; the others are undefined.
   */
  readonly settle?: Unreconciled
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
  decidesByWallet: false,
  complete: nothing,
  fail: (at) => refund(context, at),
  followUp: typeof compensation === "object" ? { ...compensation, purpose: "compensate" } : null
})

/** The task that reverts a failed request, or settles it. */
const followUpOf = <T extends OperationType, P>(
  { compensation, settle }: Definition<T, P>,
  { params, task }: OperationContext<P>
): FollowUp | null => {
  if (settle !== undefined) return { type: task.type, params: task.params, purpose: "settle", after: "doubt" }
  const reverting = typeof compensation === "function" ? compensation(params) : compensation
  return reverting === undefined ? null : { ...reverting, purpose: "compensate" }
}

/** The steps of task `of`; one that never arrived, or failed, is skipped. */
const polled = (steps: ReadonlyArray<DriverOperation | Step>, of: number): ReadonlyArray<Step> =>
  steps.map((step) => ({
    operation: "operation" in step ? step.operation : step,
    of,
    optional: ({ _tag }) => _tag === "Rejected"
  }))

const readable = <T extends OperationType, P>(definition: Definition<T, P>, context: OperationContext<P>): Saga => {
  const { complete = nothing, execute, fail = nothing, refund = nothing, retry } = definition
  const { ofTaskId, purpose } = context.task
  const saga: Saga = {
    retry,
    steps: execute(context),
    decidesByWallet: definition.decidesByWallet === true,
    complete: (result, at) => complete(context, result, at),
    fail: (at, doubt) => Effect.andThen(fail(context, at, doubt), refund(context, at)),
    followUp: null
  }
  if (purpose === "request") return { ...saga, followUp: followUpOf(definition, context) }
  if (purpose === "compensate") return { ...saga, retry: "persistent" }
  return {
    ...saga,
    retry: "default",
    steps: Effect.map(saga.steps, (steps) => polled(steps, ofTaskId!)),
    fail: nothing
  }
}

export const define = <const T extends OperationType, P>(definition: Definition<T, P>): Operation<T, P> => {
  const { params, settle, type } = definition
  const text = Schema.fromJsonString(params)
  return {
    type,
    recovery: { ...definition.recovery, ...settle && { unreconciled: settle } },
    task: (params) => ({ type, params: JSON.stringify(params) }),
    saga: (context) =>
      Option.match(Schema.decodeOption(text)(context.task.params), {
        onNone: () => unreadable(definition, context),
        onSome: (params) => readable(definition, { ...context, params })
      })
  }
}
