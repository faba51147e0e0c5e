/** Executes the saga of one task, and records its end: shared by the worker and by callers that wait. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { PlacesMachines } from "../catalogue/Capacity.ts"
import { passHold } from "../operations/DeploymentHold.ts"
import { enqueueAs } from "../operations/Enqueue.ts"
import type { Saga, SagaResult, Step, TaskContext } from "../operations/Saga.ts"
import { Instances } from "../persistence/Instances.ts"
import type { Task, TaskOutcome } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import {
  type Done,
  Driver,
  type DriverRequest,
  type Fault,
  follow,
  type OnProgress,
  type Operation as DriverOperation,
  perform as performOnce,
  performOrResume,
  Unavailable
} from "../provisioning/Driver.ts"
import { budgetOf } from "./Retry.ts"
import { report } from "./TaskTelemetry.ts"

/** The task with its instance, and with the password that a waiting caller has supplied. */
export const contextOf = Effect.fnUntraced(function*(task: Task, password: TaskContext["password"] = null) {
  const instance = yield* (yield* Instances).find(task.instanceId)
  return instance === undefined
    ? yield* Effect.die(new Error(`instance ${task.instanceId} of task ${task.id} does not exist`))
    : { task, instance, password } satisfies TaskContext
})

/** The keys of a task's steps begin with this. */
const keysOf = (taskId: number): string => `task-${taskId}-`

/** A step for the driver; its key is the same for every repetition of the step, by any process. */
const driverRequest = (
  { instance }: TaskContext,
  taskId: number,
  step: number,
  operation: DriverOperation
): DriverRequest => ({
  key: `${keysOf(taskId)}${step}-${operation.type}`,
  tag: instance.tag,
  providerId: instance.providerId,
  operation
})

const asStep = (step: DriverOperation | Step): Step => "operation" in step ? step : { operation: step }

/** A repeated step that the upstream is too busy for is in doubt: an earlier attempt may have carried it out. */
const isSkipped = ({ task }: TaskContext, { of, optional }: Step, fault: Fault): boolean => {
  const isInDoubt = fault._tag === "Busy" && of === undefined && task.attempts > 1
  return optional?.(isInDoubt ? new Unavailable({ reason: fault.reason }) : fault) === true
}

/** One step; undefined if it was skipped. */
const performStep = <R>(context: TaskContext, index: number, step: Step, onProgress: OnProgress<R>) => {
  const { of, operation } = step
  const request = driverRequest(context, of ?? context.task.id, index, operation)
  // An earlier attempt may have created a machine whose id was never recorded: that one is looked up first.
  const repeated = context.task.attempts > 1 && context.instance.providerId === null && operation.type === "provision"
  const perform = of !== undefined ? follow : repeated ? performOrResume : performOnce
  const performed = perform(request, onProgress)
  const held = operation.type === "provision" ? Effect.andThen(passHold, performed) : performed
  return Effect.map(held, (done): Done | undefined => done).pipe(
    Effect.catch((fault) => isSkipped(context, step, fault) ? Effect.succeed(undefined) : Effect.fail(fault))
  )
}

/** One attempt at all steps. */
export const execute = Effect.fnUntraced(function*<R>(context: TaskContext, saga: Saga, onProgress: OnProgress<R>) {
  const steps = (yield* saga.steps).map(asStep)
  const done: Array<Done | undefined> = []
  const all = Effect.gen(function*() {
    for (const [index, step] of steps.entries()) {
      const onStep: OnProgress<R> = (progress) => onProgress(Math.floor((100 * index + progress) / steps.length))
      done.push(yield* performStep(context, index, step, onStep))
    }
  })
  yield* Effect.timeoutOrElse(all, {
    duration: budgetOf(saga.retry, yield* Limits).attemptMillis,
    orElse: () => Effect.fail(new Unavailable({ reason: "the upstream did not finish in time" }))
  })
  return {
    machine: done.findLast((each) => each !== undefined)?.machine ?? null,
    done,
    skipped: steps.filter((_, index) => done[index] === undefined).map(({ operation }) => operation.type)
  } satisfies SagaResult
})

/**
 * Ends a task, with `record` in the same transaction; false if another owner took it over: then nothing is written.
 * `isOwn`: `record` only writes what belongs to the instance while the task is open, and decides by nothing else.
 */
const end = Effect.fnUntraced(function*<R>(
  task: Task,
  isOwn: boolean,
  outcome: Pick<TaskOutcome, "error"> & { readonly status: "succeeded" | "failed" },
  record: (at: number) => Effect.Effect<void, never, R>
) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  const { run, runWriting } = yield* Transaction
  const ended = yield* (isOwn ? runWriting : run)(Effect.gen(function*() {
    if (!(yield* tasks.finish(task.id, task.fence, { ...outcome, at }))) return false
    yield* record(at)
    return true
  }))
  if (ended) yield* report(task, outcome.status, at)
  return ended
})

/** Ends a task as succeeded, and records its result; false if another owner took it over. */
export const succeed = Effect.fnUntraced(function*({ task }: TaskContext, saga: Saga, result: SagaResult) {
  // The capacity of hosts is shared by instances.
  const isOwn = !saga.decidesByWallet && !(yield* PlacesMachines)
  return yield* end(task, isOwn, { status: "succeeded", error: null }, (at) => saga.complete(result, at))
})

/** The permanent failure of a task. */
export interface Failure {
  readonly error: string
  /** Its steps may have been executed. */
  readonly doubt: boolean
}

/** With the attempt before it, less than a lease. */
const ABANDON_MILLIS = 5_000

/** If that fails, the driver lets other operations wait for a while. */
const abandon = Effect.fnUntraced(function*({ instance, task }: TaskContext) {
  const driver = yield* Driver
  if (driver.abandon === undefined) return
  yield* Effect.ignore(Effect.timeout(driver.abandon(instance.tag, keysOf(task.id)), ABANDON_MILLIS))
})

/** Ends a task as failed, and queues the task that follows it; false if another owner took it over. */
export const fail = Effect.fnUntraced(function*(context: TaskContext, saga: Saga, { doubt, error }: Failure) {
  const { instance, task } = context
  if (doubt) yield* abandon(context)
  // A refund gives back what others have not given back.
  return yield* end(
    task,
    false,
    { status: "failed", error },
    Effect.fnUntraced(function*(at) {
      yield* saga.fail(at, doubt)
      const { followUp } = saga
      if (followUp === null || (followUp.after === "doubt" && !doubt)) return
      const { id: ofTaskId, requestId, trace } = task
      yield* enqueueAs("system", instance.id, followUp, at, { requestId, trace, ofTaskId, purpose: followUp.purpose })
    })
  )
})
