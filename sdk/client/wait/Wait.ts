/** Waits for an instance: the polling, the states that waits end with, and how each is read. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import type { Instance, LiveStatus, Task } from "../Records.ts"
import { endedBy } from "../chain/Chain.ts"
import type { Call, WaitCall } from "../chain/Transport.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { isRetryable } from "../chain/Retry.ts"
import { ApiError, type CallFailure, type WaitFailure } from "../errors/ApiErrors.ts"
import {
  AbortError,
  ArgumentError,
  CallbackError,
  ProvisioningFailedError,
  WaitTimeoutError,
  withInstance
} from "../errors/Errors.ts"
import { durationProblem, isDuration } from "../options/Config.ts"
import { POLL_CAP_MS, POLL_FIRST_MS, POLL_GROWTH, SLEPT_MS, WAIT_TIMEOUT_MS } from "../options/Limits.ts"
import type { CallOptions, IdleProgress, IdleSign, WaitOptions, WaitProgress, WaitStep } from "../options/Options.ts"
import { Quiet } from "../host/Quiet.ts"
import { isBusyStatus, isDocumentedStatus } from "../host/Statuses.ts"
import { rawOf, type View } from "../host/View.ts"
import type { PollEvent, PollScheduler, Subscription } from "./PollScheduler.ts"

/** The state that a wait is for. `T` is the result of a poll, `P` what `onProgress` receives. */
export interface Goal<T extends { readonly status: string }, P extends WaitStep> {
  readonly id: number
  /** The state, for messages: `deployed`. */
  readonly target: string
  /** The call that continues a wait that timed out: `waitUntilDeployed`. */
  readonly resume: string
  /** The key of the purchase that the wait belongs to. */
  readonly idempotencyKey?: string | undefined
  /** The instance at the beginning of the wait, if known. */
  readonly instance?: Instance | undefined
  readonly poll: (options: CallOptions) => Call<T>
  /** Makes the result of a poll from the record in a list, if that `isSufficient`. */
  readonly fromList: (instance: Instance) => T
  readonly isSufficient: (instance: Instance) => boolean
  /** Returns whether the wait has ended. Fails if the goal can no longer be reached. */
  readonly isReached: (polled: T) => Effect.Effect<boolean, WaitFailure>
  /** The part of the progress that `onProgress` receives beside the step. */
  readonly progress: (polled: T) => Omit<P, keyof WaitStep>
  readonly instanceOf: (polled: T) => Instance | undefined
  /** The path of the POST that the wait itself has sent and that is still running. */
  readonly runningPost?: () => string | undefined
}

/** Returns the first problem with the options of a wait. Checked before anything is sent. */
export const problemWithWait = (options: WaitOptions<never>): ArgumentError | undefined =>
  options.waitTimeout === undefined || isDuration(options.waitTimeout)
    ? undefined
    : new ArgumentError(durationProblem("waitTimeout"))

/** Waits for the goal. Every error carries the instance and the idempotency key, so that a script can resume. */
export const waitFor = <T extends { readonly status: string }, P extends WaitStep>(
  goal: Goal<T, P>,
  scheduler: PollScheduler,
  options: WaitOptions<P>
): WaitCall<T> =>
  Effect.suspend(() => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(withInstance(problem, goal.id, goal.instance, goal.idempotencyKey))
    const wait = new Wait(goal, options)
    const timeout = options.waitTimeout ?? WAIT_TIMEOUT_MS
    const bounded = Effect.timeoutOrElse(wait.run(scheduler), {
      duration: timeout,
      orElse: () => wait.end(timeout)
    })
    return endedBy(bounded, options.signal, (reason) => wait.abortError(reason)).pipe(
      Effect.mapError((error) => withInstance(error, goal.id, wait.instance, goal.idempotencyKey))
    )
  })

/** Without retries: the wait polls again anyway, and retries would hide the server's state from it. */
const POLL_OPTIONS: CallOptions = { maxRetries: 0 }

class Wait<T extends { readonly status: string }, P extends WaitStep> {
  readonly #goal: Goal<T, P>
  readonly #onProgress: WaitOptions<P>["onProgress"]
  /** Without the signal: the wait itself listens to it, and its error says more than that of a single poll. */
  readonly #ownOptions: CallOptions | undefined
  /** With retries: after a sleep, connections are stale and the network may not be back yet. */
  readonly #lastOptions: CallOptions
  #began = 0n
  #polls = 0
  #interval = 0
  #status: string
  /** The transient error of the last poll. */
  #lastError: CallFailure | undefined
  /** The instance at the last poll. */
  instance: Instance | undefined

  constructor(goal: Goal<T, P>, { headers, maxRetries, onProgress, timeout }: WaitOptions<P>) {
    const isOwn = headers !== undefined || maxRetries !== undefined || timeout !== undefined
    this.#goal = goal
    this.#onProgress = onProgress
    this.#ownOptions = isOwn
      ? { ...POLL_OPTIONS, timeout, headers, ...(maxRetries === undefined ? {} : { maxRetries }) }
      : undefined
    this.#lastOptions = { headers, maxRetries, timeout }
    this.instance = goal.instance
    this.#status = goal.instance?.status ?? "unknown"
  }

  run(scheduler: PollScheduler): WaitCall<T> {
    const { id, isSufficient } = this.#goal
    const interest = { id, isSufficient, shared: this.#ownOptions === undefined }
    const begin = Effect.map(Clock.monotonicTimeNanos, (now) => void (this.#began = now))
    return Effect.acquireUseRelease(
      Effect.andThen(begin, scheduler.subscribe(interest)),
      (subscription) => this.#poll(subscription),
      (subscription) => scheduler.unsubscribe(subscription)
    )
  }

  readonly #poll = Effect.fnUntraced({ self: this }, function*(subscription: Subscription) {
    for (;;) {
      const event = yield* subscription.next(Math.max(this.#interval, this.#retryAfter()))
      const isEarly = event._tag === "Listed" && event.early
      if (!isEarly) {
        this.#interval = this.#interval === 0 ? POLL_FIRST_MS : Math.min(POLL_CAP_MS, this.#interval * POLL_GROWTH)
      }
      const reached = yield* this.#look(this.#handle(event))
      if (reached !== undefined) return reached
    }
  })

  /** Returns the result of a poll if the wait has ended. */
  readonly #look = Effect.fnUntraced({ self: this }, function*(poll: Call<T>) {
    const polled = yield* poll.pipe(Effect.catch((error) => this.#tolerate(error)))
    if (polled === undefined) return undefined
    yield* this.#report(polled.data)
    return (yield* this.#goal.isReached(polled.data)) ? polled : undefined
  })

  /**
   * Ends the wait after its timeout. A timer that fires late has slept, with the computer or in a stopped process. The
   * last poll is as old as that, so the wait looks once more.
   */
  readonly end = Effect.fnUntraced({ self: this }, function*(waitTimeout: number) {
    const elapsed = Number((yield* Clock.monotonicTimeNanos) - this.#began) / 1_000_000
    const hasSlept = elapsed > waitTimeout + SLEPT_MS
    const reached = hasSlept ? yield* this.#look(this.#goal.poll(this.#lastOptions)) : undefined
    return reached ?? (yield* Effect.fail(this.timeoutError(waitTimeout)))
  })

  /** The milliseconds of the last error's `Retry-After`. */
  #retryAfter(): number {
    return this.#lastError instanceof ApiError ? (this.#lastError.retryAfter ?? 0) * 1000 : 0
  }

  #handle(event: PollEvent): Effect.Effect<ApiResponse<T>, CallFailure> {
    switch (event._tag) {
      case "Poll":
        return this.#goal.poll(this.#ownOptions ?? POLL_OPTIONS)
      case "Listed":
        return Effect.succeed({ ...event.response, data: this.#goal.fromList(event.response.data) })
      case "Failed":
        return Effect.fail(event.error)
    }
  }

  /** Continues after transient errors: the deployment continues even while the server is unavailable. */
  #tolerate(error: CallFailure): Effect.Effect<undefined, CallFailure> {
    if (!isRetryable("read", error)) return Effect.fail(error)
    this.#lastError = error
    return Effect.succeed(undefined)
  }

  #report(polled: T): Effect.Effect<void, CallbackError> {
    this.#polls++
    this.#lastError = undefined
    this.#status = polled.status
    this.instance = this.#goal.instanceOf(polled) ?? this.instance
    const onProgress = this.#onProgress
    if (onProgress === undefined) return Effect.void
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      Effect.try({
        try: () => onProgress(this.#progress(polled, Number((now - this.#began) / 1_000_000n))),
        catch: (cause) => new CallbackError("onProgress threw, which ended the wait", { cause })
      }))
  }

  #progress(polled: T, elapsed: number): P {
    const step: WaitStep = { id: this.#goal.id, status: polled.status, polls: this.#polls, elapsed }
    return { ...this.#goal.progress(polled), ...step } as P
  }

  timeoutError(waitTimeout: number): WaitTimeoutError {
    const { id, resume, target } = this.#goal
    return new WaitTimeoutError({ id, target, resume, status: this.#status, waitTimeout }, { cause: this.#lastError })
  }

  abortError(cause: unknown): AbortError {
    const path = this.#goal.runningPost?.()
    if (path !== undefined) return new AbortError(true, { method: "POST", path, attempts: 1, cause })
    return new AbortError(false, { method: "GET", path: `/instances/${this.#goal.id}`, cause })
  }
}

// The goals of waits for the end of an instance's tasks.

/** The result of a poll. A list returns only the status. */
export interface Activity {
  readonly status: string
  readonly task: View<Task> | null | undefined
  readonly live: View<LiveStatus> | undefined
  /** Undefined while the instance is busy, as far as the host shows it. */
  readonly sign: IdleSign | undefined
}

type Status = (id: number, options?: CallOptions) => Call<View<LiveStatus>>
type Get = (id: number, options?: CallOptions) => Call<Instance>

/** Waits and returns the live status that ended the wait, as the host sent it. */
export const waitForIdle = (
  goal: Goal<Activity, IdleProgress>,
  scheduler: PollScheduler,
  options: WaitOptions<IdleProgress>
): WaitCall<LiveStatus> =>
  Effect.map(waitFor(goal, scheduler, options), ({ data, response }) => ({
    data: rawOf(data.live) as LiveStatus,
    response
  }))

const OPEN: ReadonlySet<string> = new Set(["queued", "running"])

/** A task may leave the status unchanged, so a settled status in a list is only a reason to poll the live status. */
export const idle = (id: number, status: Status, get: Get): Goal<Activity, IdleProgress> => {
  const quiet = new Quiet()
  /** The specification shows a status in the record of an instance only, and none of its words. */
  const withSign = Effect.fnUntraced(function*({ data: live, response }: ApiResponse<View<LiveStatus>>) {
    const { task } = live
    const word = live.status ?? (yield* get(id, POLL_OPTIONS)).data.status
    const hasTask = task !== undefined && task !== null
    const isOpen = hasTask && (isDocumentedStatus(word) || OPEN.has(task.status ?? ""))
    if (live.status !== undefined && isDocumentedStatus(live.status)) {
      const sign: IdleSign | undefined = isOpen || isBusyStatus(word) ? undefined : task === null ? "task" : "status"
      return { response, data: { status: word, task, live, sign } }
    }
    const now = Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
    // A new word of a host that shows its tasks may describe a work.
    const isMoving = task === null || /ing$/i.test(word)
    const isOver = quiet.isOver(word, now, isMoving) && !isOpen && !isBusyStatus(word)
    const sign: IdleSign | undefined = isOver ? "unchanged" : undefined
    return { response, data: { status: word, task, live, sign } }
  })
  return {
    id,
    target: "idle",
    resume: "waitUntilIdle",
    poll: (options) => Effect.flatMap(status(id, options), withSign),
    fromList: (instance) => ({ status: instance.status, task: undefined, live: undefined, sign: undefined }),
    isSufficient: (instance) => isBusyStatus(instance.status),
    isReached: ({ sign }) => Effect.succeed(sign !== undefined),
    progress: ({ sign, task }) => ({ task, sign }),
    instanceOf: () => undefined
  }
}

export type BootMode = "rescue" | "disk"

/** Idle after booting in this mode. `reboot` is requested if the server was too busy to do it. */
export const booted = (
  id: number,
  mode: BootMode,
  status: Status,
  get: Get,
  reboot: Effect.Effect<unknown, CallFailure> | undefined
): Goal<Activity, IdleProgress> => {
  let pendingReboot = reboot
  let rebooting = false
  return {
    ...idle(id, status, get),
    target: `booted in ${mode} mode`,
    resume: mode === "rescue" ? "rescue.enterAndWait" : "rescue.exitAndWait",
    runningPost: () => rebooting ? `/instances/${id}/restart` : undefined,
    isReached: ({ live, sign }) => {
      if (sign === undefined) return Effect.succeed(false)
      // A host may not show what was booted: its answer to the request had the mode.
      if (pendingReboot === undefined) return Effect.succeed((live?.booted ?? mode) === mode)
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
