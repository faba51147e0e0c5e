/** One task from its plan to its end: what the worker and the calls that wait for the upstream have in common. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Instances } from "../persistence/Instances.ts"
import { type Task, Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Machine, type OnProgress, perform, Rejected, resume, Unavailable } from "../provisioning/Driver.ts"
import { type Job, noFailure, ONCE, orderOf, type Plan } from "./Plan.ts"
import { setHostname, setRdns } from "./plans/Network.ts"
import { power } from "./plans/Power.ts"
import { provision } from "./plans/Provision.ts"
import { terminate } from "./plans/Terminate.ts"

/** The task together with its instance. */
export const jobOf = Effect.fnUntraced(function*(task: Task) {
  const instance = yield* (yield* Instances).find(task.instanceId)
  return instance === undefined
    ? yield* Effect.die(new Error(`task ${task.id} is of instance ${task.instanceId}, which does not exist`))
    : { task, instance } satisfies Job
})

/** What a task of a type that this version does not know comes to: a newer one queued it. */
const unknown = (job: Job): Plan => ({
  patience: ONCE,
  steps: Effect.fail(new Rejected({ reason: `this version of the service cannot ${job.task.type}` })),
  complete: () => Effect.void,
  fail: noFailure,
  undo: null
})

/** The plan of a task. */
export const planOf = (job: Job): Plan => {
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
    case "terminate":
      return terminate(job)
    default:
      return unknown(job)
  }
}

const UNREADABLE = new Rejected({ reason: "the task's parameters are unreadable" })

/**
 * One try of all steps. A task that was tried before may have left a machine without our knowing its id: then it is
 * looked up first. Answers the machine as the last step left it.
 */
export const carryOut = Effect.fnUntraced(function*<R>(job: Job, plan: Plan, onProgress: OnProgress<R>) {
  const repeated = job.task.attempts > 1 && job.instance.providerId === null
  const steps = yield* plan.steps.pipe(Effect.catchTag("SchemaError", () => Effect.fail(UNREADABLE)))
  let machine: Machine | null = null
  for (const [index, operation] of steps.entries()) {
    const order = orderOf(job, index, operation)
    const onStep: OnProgress<R> = (progress) => onProgress(Math.floor((100 * index + progress) / steps.length))
    const step = repeated && operation.type === "provision" ? resume(order, onStep) : perform(order, onStep)
    machine = yield* step
  }
  return machine
}, (tried, _, plan) =>
  Effect.timeoutOrElse(tried, {
    duration: plan.patience.tryMillis,
    orElse: () => Effect.fail(new Unavailable({ reason: "the upstream did not finish in time" }))
  }))

/** Ends a task as succeeded, with what that changes; false when another has taken it over: then nothing is written. */
export const succeed = Effect.fnUntraced(function*({ task }: Job, plan: Plan, machine: Machine | null) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* tasks.finish(task.id, task.fence, { status: "succeeded", error: null, at }))) return false
    yield* plan.complete(machine, at)
    return true
  }))
})

/** Ends a task as failed; false when another has taken it over. */
export const fail = Effect.fnUntraced(function*({ instance, task }: Job, plan: Plan, error: string) {
  const at = yield* Clock.currentTimeMillis
  const tasks = yield* Tasks
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* tasks.finish(task.id, task.fence, { status: "failed", error, at }))) return false
    yield* plan.fail(at)
    if (plan.undo === null) return true
    yield* tasks.insert({
      instanceId: instance.id,
      type: plan.undo,
      actor: "system",
      apiKeyId: null,
      requestId: task.requestId,
      params: "{}",
      sealed: null,
      runAt: at,
      leaseUntil: null,
      at
    })
    return true
  }))
})
