/** Waits for an instance with a timeout. Polls immediately and then at growing intervals, shared with other waits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Instance } from "../Records.ts"
import { endedBy } from "../chain/Chain.ts"
import type { Call, WaitCall } from "../chain/Handler.ts"
import type { ApiResponse } from "../chain/ApiResponse.ts"
import { isRetryable } from "../chain/Retry.ts"
import { ApiError, type CallFailure, type WaitFailure } from "../errors/ApiErrors.ts"
import { AbortError, ArgumentError, CallbackError, WaitTimeoutError, withInstance } from "../errors/Errors.ts"
import { durationProblem, isDuration } from "../options/Config.ts"
import { POLL_CAP_MS, POLL_FIRST_MS, POLL_GROWTH, WAIT_TIMEOUT_MS } from "../options/Limits.ts"
import type { CallOptions, WaitOptions, WaitStep } from "../options/Options.ts"
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
      orElse: () => Effect.fail(wait.timeoutError(timeout))
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
    this.instance = goal.instance
    this.#status = goal.instance?.status ?? "unknown"
  }

  run(scheduler: PollScheduler): WaitCall<T> {
    const { id, isSufficient } = this.#goal
    const interest = { id, isSufficient, shared: this.#ownOptions === undefined }
    return Effect.acquireUseRelease(
      scheduler.subscribe(interest),
      (subscription) => this.#poll(subscription),
      (subscription) => scheduler.unsubscribe(subscription)
    )
  }

  readonly #poll = Effect.fnUntraced({ self: this }, function*(subscription: Subscription) {
    const began = yield* Clock.monotonicTimeNanos
    for (;;) {
      const event = yield* subscription.next(Math.max(this.#interval, this.#retryAfter()))
      const isEarly = event._tag === "Listed" && event.early
      if (!isEarly) {
        this.#interval = this.#interval === 0 ? POLL_FIRST_MS : Math.min(POLL_CAP_MS, this.#interval * POLL_GROWTH)
      }
      const polled = yield* this.#handle(event).pipe(Effect.catch((error) => this.#tolerate(error)))
      if (polled === undefined) continue
      yield* this.#report(polled.data, began)
      if (yield* this.#goal.isReached(polled.data)) return polled
    }
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

  #report(polled: T, began: bigint): Effect.Effect<void, CallbackError> {
    this.#polls++
    this.#lastError = undefined
    this.#status = polled.status
    this.instance = this.#goal.instanceOf(polled) ?? this.instance
    const onProgress = this.#onProgress
    if (onProgress === undefined) return Effect.void
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      Effect.try({
        try: () => onProgress(this.#progress(polled, Number((now - began) / 1_000_000n))),
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
