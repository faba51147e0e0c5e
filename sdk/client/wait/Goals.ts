/** The states of an instance that waits end with, and how each is read. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Instance, LiveStatus, Task } from "../Records.ts"
import type { Call, WaitCall } from "../chain/Handler.ts"
import type { CallFailure } from "../errors/ApiErrors.ts"
import type { CallOptions, IdleProgress, WaitOptions, WaitProgress } from "../options/Options.ts"
import type { PollScheduler } from "./PollScheduler.ts"
import { type Goal, waitFor } from "./Wait.ts"
import { CallbackError, ProvisioningFailedError } from "../errors/Errors.ts"

// The goals of waits for the end of an instance's tasks.

/** The statuses that only a new task or a payment changes. Any other status, even an unknown one, is busy. */
const SETTLED: ReadonlySet<string> = new Set([
  "running",
  "stopped",
  "rescue",
  "suspended",
  "expired",
  "failed",
  "deleted"
])

const isSettled = ({ status }: { readonly status: string }): boolean => SETTLED.has(status)

/** The result of a poll. A list returns only the status. */
export interface Activity {
  readonly status: string
  readonly task: Task | null | undefined
  readonly live: LiveStatus | undefined
}

type Status = (id: number, options?: CallOptions) => Call<LiveStatus>

/** Waits and returns the live status that ended the wait. */
export const waitForIdle = (
  goal: Goal<Activity, IdleProgress>,
  scheduler: PollScheduler,
  options: WaitOptions<IdleProgress>
): WaitCall<LiveStatus> =>
  Effect.map(waitFor(goal, scheduler, options), ({ data, response }) => ({ data: data.live!, response }))

/** A task may leave the status unchanged, so a settled status in a list is only a reason to poll the live status. */
export const idle = (id: number, status: Status): Goal<Activity, IdleProgress> => ({
  id,
  target: "idle",
  resume: "waitUntilIdle",
  poll: (options) =>
    Effect.map(status(id, options), (response) => ({
      ...response,
      data: { status: response.data.status, task: response.data.task, live: response.data }
    })),
  fromList: (instance) => ({ status: instance.status, task: undefined, live: undefined }),
  isSufficient: (instance) => !isSettled(instance),
  isReached: (activity) => Effect.succeed(isIdle(activity)),
  progress: ({ task }) => ({ task }),
  instanceOf: () => undefined
})

// Without a task in the response, the status decides.
const isIdle = ({ live }: Activity): boolean => live !== undefined && (live.task ?? null) === null && isSettled(live)

export type BootMode = "rescue" | "disk"

/** Idle after booting in this mode. `reboot` is requested if the server was too busy to do it. */
export const booted = (
  id: number,
  mode: BootMode,
  status: Status,
  reboot: Effect.Effect<unknown, CallFailure> | undefined
): Goal<Activity, IdleProgress> => {
  let pendingReboot = reboot
  let rebooting = false
  return {
    ...idle(id, status),
    target: `booted in ${mode} mode`,
    resume: mode === "rescue" ? "rescue.enterAndWait" : "rescue.exitAndWait",
    runningPost: () => rebooting ? `/instances/${id}/restart` : undefined,
    isReached: (activity) => {
      if (!isIdle(activity)) return Effect.succeed(false)
      if (pendingReboot === undefined) return Effect.succeed(activity.live?.booted === mode)
      rebooting = true
      return pendingReboot.pipe(
        Effect.map(() => {
          pendingReboot = undefined
          return false
        }),
        // An interrupted request stays marked: it may have been processed.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            rebooting = exit._tag === "Failure" && Cause.hasInterrupts(exit.cause)
          })
        ),
        // Another task came first: the reboot is requested again when that task has ended.
        Effect.catchIf(isBusy, () => Effect.succeed(false))
      )
    }
  }
}

const isBusy = (error: CallFailure): boolean => error._tag === "ConflictError" && error.retryAfter !== undefined

// The goals of waits that look at an instance's record.

/** Deployed means reachable. */
export const isDeployed = (instance: Instance): boolean => Boolean(instance.provider_id) && Boolean(instance.ipv4)

/** True if the instance can no longer be deployed. */
export const isUnrecoverable = (instance: Instance): boolean =>
  instance.status === "failed" || instance.status === "deleted"

export const provisioningFailed = (instance: Instance): ProvisioningFailedError =>
  new ProvisioningFailedError(instance.id, instance.status, {})

type Get = (id: number, options?: CallOptions) => Call<Instance>

/** The instance that a wait is for. */
export interface Subject {
  readonly id: number
  readonly instance?: Instance | undefined
  readonly idempotencyKey?: string | undefined
}

const instanceGoal = (subject: Subject, get: Get) => ({
  ...subject,
  poll: (options: CallOptions) => get(subject.id, options),
  fromList: (instance: Instance) => instance,
  isSufficient: () => true,
  progress: (instance: Instance) => ({ instance }),
  instanceOf: (instance: Instance) => instance
})

export const deployed = (subject: Subject, get: Get): Goal<Instance, WaitProgress> => ({
  ...instanceGoal(subject, get),
  target: "deployed",
  resume: "waitUntilDeployed",
  isReached: (instance) =>
    isUnrecoverable(instance) ? Effect.fail(provisioningFailed(instance)) : Effect.succeed(isDeployed(instance))
})

export const condition = (
  id: number,
  until: (instance: Instance) => boolean,
  get: Get
): Goal<Instance, WaitProgress> => ({
  ...instanceGoal({ id }, get),
  target: "in the expected state",
  resume: "waitUntil",
  isReached: (instance) =>
    Effect.try({
      try: () => until(instance),
      catch: (cause) => new CallbackError("The condition threw, which ended the wait", { cause })
    })
})
