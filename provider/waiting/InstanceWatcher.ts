/**
 * Waits for instances, and for conditions that no list of instances shows. Concurrent waits share one polling
 * loop: 300 of them do not become 300 polls.
 */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { Api, ApiContext } from "../api/Api.ts"
import { DeadlineError, isTransient, retryAfterOf, UserError } from "../api/Errors.ts"
import { formatDuration } from "../definition/Definition.ts"
import type { Host } from "../engine/Host.ts"
import type { Words } from "../HostWords.ts"
import { type Deadline, timeLeft } from "./Retry.ts"

/**
 * ms; the delays of the first polls. A simulated instance is ready at once; for a real one these cost two small calls.
 */
const EARLY_DELAYS = [25, 100] as const
const FIRST_DELAY: number = EARLY_DELAYS[1]
/** Up to this many early polls are sent one by one: a list of hundreds of instances costs more. */
const EARLY_SEPARATE = 8
/** ms; the interval after the early polls. A deployment takes a minute or two. */
const MIN_DELAY = 1_000
const MAX_DELAY = 10_000
/** Growth of the interval from poll to poll. */
const GROWTH = 1.5
/** ms; the interval of progress messages. */
const PROGRESS_EVERY = 15_000

interface Waiter {
  readonly id: number
  readonly name: string
  readonly until: (instance: Instance) => boolean
  readonly deadline: number
  readonly timeout: number
  readonly resolve: (instance: Instance) => void
  readonly reject: (error: unknown) => void
  due: number
  polls: number
  reported: number
}

export interface Wait {
  readonly id: number
  /** The name of the resource in the program. */
  readonly name: string
  readonly until: (instance: Instance) => boolean
  /** ms from now. */
  readonly timeout: number
}

/** ms; the delay after so many polls. */
const delayAfter = (polls: number): number =>
  EARLY_DELAYS[polls] ?? Math.min(MIN_DELAY * GROWTH ** (polls - EARLY_DELAYS.length), MAX_DELAY)

export class InstanceWatcher {
  readonly #api: Api
  readonly #host: Host
  readonly #words: Words
  readonly #waiters = new Set<Waiter>()
  #looping = false

  constructor(api: Api, host: Host, words: Words) {
    this.#api = api
    this.#host = host
    this.#words = words
  }

  /**
   * Resolves with the first state of the instance that `until` accepts.
   * @throws DeadlineError after `timeout`; the API's error when the key is rejected or the instance is not found.
   */
  wait(wait: Wait): Promise<Instance> {
    const now = this.#host.now()
    const waiting = new Promise<Instance>((resolve, reject) => {
      this.#waiters.add({
        ...wait,
        resolve,
        reject,
        deadline: now + wait.timeout,
        due: now + delayAfter(0),
        polls: 0,
        reported: now
      })
    })
    if (!this.#looping) void this.#loop()
    return waiting
  }

  async #loop(): Promise<void> {
    this.#looping = true
    try {
      while (this.#waiters.size > 0) {
        const now = this.#host.now()
        const next = Math.min(...[...this.#waiters].map((waiter) => waiter.due))
        if (next > now) await this.#host.sleep(Math.min(next - now, EARLY_DELAYS[0]))
        else await this.#pollDue(now)
      }
    } catch (error) {
      // The host ends all waits at once: the run was canceled.
      for (const waiter of this.#waiters) this.#settle(waiter, () => waiter.reject(error))
    } finally {
      this.#looping = false
    }
  }

  async #pollDue(now: number): Promise<void> {
    await this.#host.checkpoint()
    const due = [...this.#waiters].filter((waiter) => waiter.due <= now)
    const isEarly = due.length <= EARLY_SEPARATE && due.every(({ polls }) => polls < EARLY_DELAYS.length)
    if (isEarly) await Promise.all(due.map((waiter) => this.#observeAll([waiter], now)))
    // One poll serves all waiters, also those due later, which brings the waits of a process into step.
    else await this.#observeAll([...this.#waiters], now)
    this.#expire()
  }

  async #observeAll(watched: ReadonlyArray<Waiter>, now: number): Promise<void> {
    const pause = await this.#observe(watched)
    for (const waiter of watched) {
      if (waiter.due <= now) waiter.polls++
      waiter.due = Math.min(this.#host.now() + Math.max(delayAfter(waiter.polls), pause), waiter.deadline)
    }
  }

  /** Observes one instance, or all with a single call; returns the service's Retry-After in ms. */
  async #observe(watched: ReadonlyArray<Waiter>): Promise<number> {
    try {
      const [only, ...others] = new Set(watched.map((waiter) => waiter.id))
      const instances = others.length === 0 ? [await this.#api.get(only!)] : await this.#api.list()
      const byId = new Map(instances.map((instance) => [instance.id, instance]))
      for (const waiter of watched) this.#evaluate(waiter, byId.get(waiter.id))
      return 0
    } catch (error) {
      if (!isTransient(error)) { for (const waiter of watched) this.#settle(waiter, () => waiter.reject(error)) }
      return (retryAfterOf(error) ?? 0) * 1_000
    }
  }

  #evaluate(waiter: Waiter, instance: Instance | undefined): void {
    if (instance === undefined) {
      const gone = new UserError(`instance ${waiter.id} is no longer listed. Run ${this.#words.refresh}`)
      return this.#settle(waiter, () => waiter.reject(gone))
    }
    if (waiter.until(instance)) return this.#settle(waiter, () => waiter.resolve(instance))
    const now = this.#host.now()
    if (now - waiter.reported < PROGRESS_EVERY) return
    waiter.reported = now
    this.#host.progress(`${waiter.name}: instance ${waiter.id} is ${instance.status}`)
  }

  #expire(): void {
    const now = this.#host.now()
    for (const waiter of this.#waiters) {
      if (now < waiter.deadline) continue
      const late = new DeadlineError(
        `timed out after ${formatDuration(waiter.timeout)} waiting for instance ${waiter.id}`
      )
      this.#settle(waiter, () => waiter.reject(late))
    }
  }

  #settle(waiter: Waiter, finish: () => void): void {
    this.#waiters.delete(waiter)
    finish()
  }
}

export interface Poll<A> {
  /** The name of the resource in the program. */
  readonly name: string
  /** For messages: "snapshot 12 of instance 1". */
  readonly subject: string
  readonly deadline: Deadline
  /** Returns undefined to poll again. An error ends the wait, unless it is transient. */
  readonly observe: () => Promise<A | undefined>
}

/**
 * Observes at once, then after 0.1 s and 1 s, growing to 10 s, with a line of progress every 15 s.
 * @throws DeadlineError at the deadline; the errors of `observe`.
 */
export const poll = async <A>(context: ApiContext, { deadline, name, observe, subject }: Poll<A>): Promise<A> => {
  const { host } = context
  let reported = host.now()
  for (let delay = FIRST_DELAY;;) {
    await host.checkpoint()
    let pause = delay
    try {
      const found = await observe()
      if (found !== undefined) return found
    } catch (error) {
      if (!isTransient(error)) throw error
      pause = Math.max(delay, (retryAfterOf(error) ?? 0) * 1_000)
    }
    const left = timeLeft(context, deadline)
    if (left === 0) {
      throw new DeadlineError(`timed out after ${formatDuration(deadline.timeout)} waiting for ${subject}`)
    }
    if (host.now() - reported >= PROGRESS_EVERY) {
      reported = host.now()
      host.progress(`${name}: waiting for ${subject}`)
    }
    await host.sleep(Math.min(pause, left))
    delay = delay === FIRST_DELAY ? MIN_DELAY : Math.min(delay * GROWTH, MAX_DELAY)
  }
}
