/** Waiting for an instance: bounded, first look at once, then with a growing pause, in turn with all other waits. */
import type { Instance } from "#contract/Instance"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { endedBy } from "../chain/Abort.ts"
import { ApiError } from "../errors/ApiErrors.ts"
import type { Call } from "../calls/Caller.ts"
import { durationProblem, isDuration } from "../options/Config.ts"
import {
  AbortError,
  ArgumentError,
  CallbackError,
  type ProvisioningFailedError,
  WaitTimeoutError,
  withInstance
} from "../errors/Errors.ts"
import type { CallFailure } from "../chain/Handler.ts"
import { POLL_CAP_MS, POLL_FIRST_MS, POLL_GROWTH, WAIT_TIMEOUT_MS } from "../options/Limits.ts"
import type { CallOptions, WaitOptions, WaitStep } from "../options/Options.ts"
import type { ApiResponse } from "../chain/Request.ts"
import { isRetryable } from "../chain/Retry.ts"
import type { PollScheduler, Subscription, Turn } from "./PollScheduler.ts"

/** What a wait can fail with. */
export type WaitFailure = CallFailure | WaitTimeoutError | ProvisioningFailedError | CallbackError

/** What is waited for: `T` is what a look sees, `P` what the caller is told of it. */
export interface Goal<T extends { readonly status: string }, P extends WaitStep> {
  readonly id: number
  /** For messages: `deployed`. */
  readonly wanted: string
  /** The call that goes on with a wait that took too long: `waitUntilDeployed`. */
  readonly resume: string
  /** Of the purchase that the wait belongs to. */
  readonly idempotencyKey?: string | undefined
  /** As known when the wait begins. */
  readonly instance?: Instance | undefined
  readonly look: (options: CallOptions) => Call<T>
  /** What the record of a list tells, when that is `enough`. */
  readonly listed: (instance: Instance) => T
  readonly enough: (instance: Instance) => boolean
  /** Whether this is the end of the wait; fails when it never will be. */
  readonly reached: (seen: T) => Effect.Effect<boolean, WaitFailure>
  /** What `onProgress` is told beside the step. */
  readonly show: (seen: T) => Omit<P, keyof WaitStep>
  readonly instanceIn: (seen: T) => Instance | undefined
  /** Of a wait that changes something itself: the path of the POST that is under way, if any. */
  readonly acting?: () => string | undefined
}

/** The first thing wrong with the options of a wait: asked before anything is sent. */
export const problemWithWait = (options: WaitOptions<never>): ArgumentError | undefined =>
  options.waitTimeout === undefined || isDuration(options.waitTimeout)
    ? undefined
    : new ArgumentError(durationProblem("waitTimeout"))

/** Whatever ends the wait early carries the instance and the key, so that a script can go on from there. */
export const waitFor = <T extends { readonly status: string }, P extends WaitStep>(
  goal: Goal<T, P>,
  turns: PollScheduler,
  options: WaitOptions<P>
): Effect.Effect<ApiResponse<T>, WaitFailure> =>
  Effect.suspend(() => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(withInstance(problem, goal.id, goal.instance, goal.idempotencyKey))
    const wait = new Wait(goal, options)
    const timeout = options.waitTimeout ?? WAIT_TIMEOUT_MS
    const bounded = Effect.timeoutOrElse(wait.run(turns), {
      duration: timeout,
      orElse: () => Effect.fail(wait.timedOut(timeout))
    })
    return endedBy(bounded, options.signal, (reason) => wait.aborted(reason)).pipe(
      Effect.mapError((error) => withInstance(error, goal.id, wait.last, goal.idempotencyKey))
    )
  })

/** Retries are the wait's own: they would only hide from it how the host is. */
const OWN_LOOK: CallOptions = { maxRetries: 0 }

class Wait<T extends { readonly status: string }, P extends WaitStep> {
  readonly #goal: Goal<T, P>
  readonly #onProgress: WaitOptions<P>["onProgress"]
  /** Without the signal: the wait itself listens to it, and knows more to put into its error than a single look. */
  readonly #look: CallOptions | undefined
  #polls = 0
  #pause = 0
  #status: string
  /** What the last look failed with, when it was something that passes. */
  #trouble: CallFailure | undefined
  last: Instance | undefined

  constructor(goal: Goal<T, P>, { headers, maxRetries, onProgress, timeout }: WaitOptions<P>) {
    const isOwn = headers !== undefined || maxRetries !== undefined || timeout !== undefined
    this.#goal = goal
    this.#onProgress = onProgress
    this.#look = isOwn
      ? { ...OWN_LOOK, timeout, headers, ...(maxRetries === undefined ? {} : { maxRetries }) }
      : undefined
    this.last = goal.instance
    this.#status = goal.instance?.status ?? "not seen yet"
  }

  run(turns: PollScheduler): Effect.Effect<ApiResponse<T>, WaitFailure> {
    const { enough, id } = this.#goal
    const watched = { id, enough, shared: this.#look === undefined }
    return Effect.acquireUseRelease(turns.join(watched), (seat) => this.#watch(seat), (seat) => turns.leave(seat))
  }

  readonly #watch = Effect.fnUntraced({ self: this }, function*(seat: Subscription) {
    const began = yield* Clock.monotonicTimeNanos
    for (;;) {
      const turn = yield* seat.next(Math.max(this.#pause, this.#asked()))
      const isEarly = turn._tag === "Shown" && turn.early
      if (!isEarly) this.#pause = this.#pause === 0 ? POLL_FIRST_MS : Math.min(POLL_CAP_MS, this.#pause * POLL_GROWTH)
      const seen = yield* this.#see(turn).pipe(Effect.catch((error) => this.#passing(error)))
      if (seen === undefined) continue
      yield* this.#report(seen.data, began)
      if (yield* this.#goal.reached(seen.data)) return seen
    }
  })

  /** Milliseconds that the host asked to be left alone. */
  #asked(): number {
    return this.#trouble instanceof ApiError ? (this.#trouble.retryAfter ?? 0) * 1000 : 0
  }

  #see(turn: Turn): Effect.Effect<ApiResponse<T>, CallFailure> {
    switch (turn._tag) {
      case "Look":
        return this.#goal.look(this.#look ?? OWN_LOOK)
      case "Shown":
        return Effect.succeed({ ...turn.answer, data: this.#goal.listed(turn.answer.data) })
      case "Trouble":
        return Effect.fail(turn.error)
    }
  }

  /** The machine gets there on its own: a host that is away for a moment does not end the wait for it. */
  #passing(error: CallFailure): Effect.Effect<undefined, CallFailure> {
    if (!isRetryable("read", error)) return Effect.fail(error)
    this.#trouble = error
    return Effect.succeed(undefined)
  }

  #report(seen: T, began: bigint): Effect.Effect<void, CallbackError> {
    this.#polls++
    this.#trouble = undefined
    this.#status = seen.status
    this.last = this.#goal.instanceIn(seen) ?? this.last
    const onProgress = this.#onProgress
    if (onProgress === undefined) return Effect.void
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      Effect.try({
        try: () => onProgress(this.#progress(seen, Number((now - began) / 1_000_000n))),
        catch: (cause) => new CallbackError("onProgress threw, which ended the wait", { cause })
      }))
  }

  #progress(seen: T, elapsed: number): P {
    const step: WaitStep = { id: this.#goal.id, status: seen.status, polls: this.#polls, elapsed }
    return { ...this.#goal.show(seen), ...step } as P
  }

  timedOut(timeout: number): WaitTimeoutError {
    const { id, resume, wanted } = this.#goal
    const wait = { id, wanted, resume, status: this.#status, waitTimeout: timeout }
    return new WaitTimeoutError(wait, { cause: this.#trouble })
  }

  aborted(cause: unknown): AbortError {
    const path = this.#goal.acting?.()
    if (path !== undefined) return new AbortError(true, { method: "POST", path, attempts: 1, cause })
    return new AbortError(false, { method: "GET", path: `/instances/${this.#goal.id}`, cause })
  }
}
