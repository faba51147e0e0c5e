/** One task from its plan to its end: what the worker and the calls that wait for the upstream have in common. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Instances } from "../persistence/Instances.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import {
  type Done,
  type Driver,
  type Fault,
  type OnProgress,
  type Operation,
  perform,
  Rejected,
  resume,
  Unavailable
} from "../provisioning/Driver.ts"
import { Limits } from "../config/Limits.ts"
import {
  driverRequest,
  nothingToRecord,
  type Saga,
  type SagaResult,
  SINGLE_ATTEMPT,
  type Step,
  type TaskContext
} from "../operations/Saga.ts"
import { drive } from "./plans/Drive.ts"
import { expire } from "./plans/Expire.ts"
import { backupCreate, backupRestore, snapshotCreate, snapshotDelete, snapshotRestore } from "./plans/Images.ts"
import { setHostname, setRdns } from "./plans/Network.ts"
import { power } from "./plans/Power.ts"
import { provision } from "./plans/Provision.ts"
import { reinstall } from "./plans/Reinstall.ts"
import { rescue } from "./plans/Rescue.ts"
import { resetPassword } from "./plans/ResetPassword.ts"
import { resize } from "./plans/Resize.ts"
import { suspend, unsuspend } from "./plans/Suspension.ts"
import { terminate } from "./plans/Terminate.ts"
import { report } from "./TaskTelemetry.ts"

/** The task together with its instance, and with the password that a waiting caller has brought along. */
export const contextOf = Effect.fnUntraced(function*(task: Task, password: TaskContext["password"] = null) {
  const instance = yield* (yield* Instances).find(task.instanceId)
  return instance === undefined
    ? yield* Effect.die(new Error(`task ${task.id} is of instance ${task.instanceId}, which does not exist`))
    : { task, instance, password } satisfies TaskContext
})

/** What a task of a type that this version does not know comes to: a newer one queued it. */
const unknown = (job: TaskContext): Saga => ({
  retry: SINGLE_ATTEMPT,
  steps: Effect.fail(new Rejected({ reason: `this version of the service cannot ${job.task.type}` })),
  complete: () => Effect.void,
  fail: nothingToRecord,
  compensation: null
})

/** The plan of a task. */
export const sagaOf = (job: TaskContext): Saga => {
  const { type } = job.task
  switch (type) {
    case "provision":
      return provision(job)
    case "start":
    case "stop":
    case "restart":
      return power(job, type)
    case "set_hostname":
      return setHostname(job)
    case "set_rdns":
      return setRdns(job)
    case "reinstall":
      return reinstall(job)
    case "resize":
      return resize(job)
    case "reset_password":
      return resetPassword(job)
    case "snapshot_create":
      return snapshotCreate(job)
    case "snapshot_restore":
      return snapshotRestore(job)
    case "snapshot_delete":
      return snapshotDelete(job)
    case "backup_create":
      return backupCreate(job)
    case "backup_restore":
      return backupRestore(job)
    case "iso_mount":
    case "iso_unmount":
      return drive(job)
    case "rescue_enter":
      return rescue(job, "rescue")
    case "rescue_exit":
      return rescue(job, "disk")
    case "expire":
      return expire(job)
    case "suspend":
      return suspend(job)
    case "unsuspend":
      return unsuspend(job)
    case "terminate":
      return terminate(job)
    default:
      return unknown(job)
  }
}

const UNREADABLE = new Rejected({ reason: "the task's parameters are unreadable" })

const asStep = (step: Operation | Step): Step => "operation" in step ? step : { operation: step }

/** Sets back what the done steps changed, last first. What cannot be set back now is put right by the next boot. */
const compensate = Effect.fnUntraced(function*(job: TaskContext, undone: ReadonlyArray<Operation>) {
  for (const [index, operation] of undone.toReversed().entries()) {
    yield* perform(driverRequest(job, `undo-${job.task.attempts}-${index}`, operation))
  }
}, (tried, { task }) =>
  Effect.flatMap(Limits, ({ SET_BACK_MILLIS }) => Effect.timeout(tried, SET_BACK_MILLIS)).pipe(
    Effect.catch((error) => Effect.logWarning(`What task ${task.id} (${task.type}) changed was not set back`, error))
  ))

/** One step; undefined when the plan goes on without it. */
const performStep = <R>(
  job: TaskContext,
  index: number,
  { operation, optional, compensate }: Step,
  onProgress: OnProgress<R>
) => {
  // An earlier try may have set it back before it was cut off: under that try's key the upstream would do nothing.
  const order = driverRequest(job, compensate === undefined ? index : `${index}-${job.task.attempts}`, operation)
  // Tried before, it may have left a machine without our knowing its id: then that is looked up first.
  const repeated = job.task.attempts > 1 && job.instance.providerId === null && operation.type === "provision"
  const taken: Effect.Effect<Done | undefined, Fault, Driver | R> = repeated
    ? resume(order, onProgress)
    : perform(order, onProgress)
  return taken.pipe(
    Effect.catch((fault) => optional?.(fault) === true ? Effect.succeed(undefined) : Effect.fail(fault))
  )
}

/** One try of all steps. Answers what each came to, and the machine as the last one left it. */
export const execute = Effect.fnUntraced(function*<R>(job: TaskContext, plan: Saga, onProgress: OnProgress<R>) {
  const steps = yield* plan.steps.pipe(Effect.catchTag("SchemaError", () => Effect.fail(UNREADABLE)))
  const done: Array<Done | undefined> = []
  const undone: Array<Operation> = []
  const all = Effect.gen(function*() {
    for (const [index, each] of steps.entries()) {
      const step = asStep(each)
      const onStep: OnProgress<R> = (progress) => onProgress(Math.floor((100 * index + progress) / steps.length))
      done.push(yield* performStep(job, index, step, onStep))
      if (step.compensate !== undefined) undone.push(step.compensate)
    }
  })
  yield* Effect.timeoutOrElse(all, {
    duration: plan.retry(yield* Limits).attemptMillis,
    orElse: () => Effect.fail(new Unavailable({ reason: "the upstream did not finish in time" }))
  }).pipe(Effect.tapError(() => undone.length === 0 ? Effect.void : compensate(job, undone)))
  return { machine: done.findLast((each) => each !== undefined)?.machine ?? null, done } satisfies SagaResult
})

/** Ends a task as succeeded, with what that changes; false when another has taken it over: then nothing is written. */
export const succeed = Effect.fnUntraced(function*({ task }: TaskContext, plan: Saga, carried: SagaResult) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  const ended = yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* tasks.finish(task.id, task.fence, { status: "succeeded", error: null, at }))) return false
    yield* plan.complete(carried, at)
    return true
  }))
  if (ended) yield* report(task, "succeeded", at)
  return ended
})

/** Why a task failed for good. */
export interface Failure {
  readonly error: string
  /** Its steps may have been done all the same. */
  readonly doubt: boolean
}

/** Ends a task as failed; false when another has taken it over. */
export const fail = Effect.fnUntraced(
  function*({ instance, task }: TaskContext, plan: Saga, { doubt, error }: Failure) {
    const at = yield* Clock.currentTimeMillis
    const tasks = yield* Tasks
    const ended = yield* (yield* Transaction).run(Effect.gen(function*() {
      if (!(yield* tasks.finish(task.id, task.fence, { status: "failed", error, at }))) return false
      yield* plan.fail(at, doubt)
      if (plan.compensation === null || (plan.compensation.after === "doubt" && !doubt)) return true
      yield* tasks.insert({
        instanceId: instance.id,
        type: plan.compensation.type,
        actor: "system",
        apiKeyId: null,
        requestId: task.requestId,
        trace: task.trace ?? undefined,
        params: plan.compensation.params,
        sealed: null,
        runAt: at,
        leaseUntil: null,
        at
      })
      return true
    }))
    if (ended) yield* report(task, "failed", at)
    return ended
  }
)
