/** Waiting for a machine: bounded, first poll at once, then with a growing pause. */
import type { Instance } from "#contract/Instance"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { endedBy } from "./Abort.ts"
import { ApiError } from "./ApiErrors.ts"
import type { CallFailure } from "./Handler.ts"
import { durationProblem, isDuration } from "./Config.ts"
import { AbortError, about, ArgumentError, CallbackError, ProvisioningFailedError, WaitTimeoutError } from "./Errors.ts"
import { POLL_CAP_MS, POLL_FIRST_MS, POLL_GROWTH, WAIT_TIMEOUT_MS } from "./Limits.ts"
import type { WaitOptions } from "./Options.ts"
import type { Answer } from "./Request.ts"
import { isRetryable } from "./Retry.ts"

/** What a wait can fail with. */
export type WaitFailure = CallFailure | WaitTimeoutError | ProvisioningFailedError | CallbackError

/** What is known about the instance when the wait begins. */
export interface Waited {
  readonly id: number
  readonly idempotencyKey?: string | undefined
  /** As the create answered it. */
  readonly instance?: Instance | undefined
}

type Poll = (id: number) => Effect.Effect<Answer<Instance>, CallFailure>

/** Deployed means that it can be reached. */
export const isDeployed = (instance: Instance): boolean => Boolean(instance.provider_id) && Boolean(instance.ipv4)

/** No poll will ever find these deployed. */
export const isLost = (instance: Instance): boolean => instance.status === "failed" || instance.status === "deleted"

export const lost = (instance: Instance): ProvisioningFailedError =>
  new ProvisioningFailedError(instance.id, instance.status, {})

/** The first thing wrong with the options of a wait: asked before a create is sent. */
export const problemWithWait = (options: WaitOptions): ArgumentError | undefined =>
  options.waitTimeout === undefined || isDuration(options.waitTimeout)
    ? undefined
    : new ArgumentError(durationProblem("waitTimeout"))

/** Whatever ends the wait early carries the instance and the key, so that a script can go on from there. */
export const waitUntilDeployed = (
  waited: Waited,
  poll: Poll,
  options: WaitOptions
): Effect.Effect<Answer<Instance>, WaitFailure> => {
  const wait = new Wait(waited, poll, options)
  const timeout = options.waitTimeout ?? WAIT_TIMEOUT_MS
  return Effect.suspend(() => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    const bounded = Effect.timeoutOrElse(wait.run, {
      duration: timeout,
      orElse: () => Effect.fail(wait.timedOut(timeout))
    })
    return endedBy(bounded, options.signal, (reason) => wait.aborted(reason))
  }).pipe(Effect.mapError((error) => about(error, waited.id, wait.last, waited.idempotencyKey)))
}

class Wait {
  readonly #waited: Waited
  readonly #poll: Poll
  readonly #options: WaitOptions
  #polls = 0
  /** What the last poll failed with, when it was something that passes. */
  #trouble: CallFailure | undefined
  last: Instance | undefined

  constructor(waited: Waited, poll: Poll, options: WaitOptions) {
    this.#waited = waited
    this.#poll = poll
    this.#options = options
    this.last = waited.instance
  }

  readonly run: Effect.Effect<Answer<Instance>, WaitFailure> = Effect.gen({ self: this }, function*() {
    const began = yield* Clock.monotonicTimeNanos
    for (let pause = POLL_FIRST_MS;; pause = Math.min(POLL_CAP_MS, pause * POLL_GROWTH)) {
      const answer = yield* this.#poll(this.#waited.id).pipe(Effect.catch((error) => this.#passing(error)))
      if (answer !== undefined) {
        this.last = answer.data
        yield* this.#report(answer.data, began)
        if (isLost(answer.data)) return yield* Effect.fail(lost(answer.data))
        if (isDeployed(answer.data)) return answer
      }
      const asked = this.#trouble instanceof ApiError ? (this.#trouble.retryAfter ?? 0) * 1000 : 0
      yield* Effect.sleep(Math.max(pause, asked))
    }
  })

  /** The machine deploys on its own: a host that is away for a moment does not end the wait for it. */
  #passing(error: CallFailure): Effect.Effect<undefined, CallFailure> {
    if (!isRetryable("read", error)) return Effect.fail(error)
    this.#trouble = error
    return Effect.succeed(undefined)
  }

  #report(instance: Instance, began: bigint): Effect.Effect<void, CallbackError> {
    this.#polls++
    this.#trouble = undefined
    const { onProgress } = this.#options
    if (onProgress === undefined) return Effect.void
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      Effect.try({
        try: () => onProgress({ instance, polls: this.#polls, elapsed: Number((now - began) / 1_000_000n) }),
        catch: (cause) => new CallbackError({ cause })
      }))
  }

  timedOut(timeout: number): WaitTimeoutError {
    const status = this.last?.status ?? "not seen yet"
    return new WaitTimeoutError(this.#waited.id, status, timeout, { cause: this.#trouble })
  }

  aborted(cause: unknown): AbortError {
    return new AbortError(false, { method: "GET", path: `/instances/${this.#waited.id}`, cause })
  }
}
