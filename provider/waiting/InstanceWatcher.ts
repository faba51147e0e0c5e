/** Waiting for instances: one loop for all waits of the process, so that 300 of them don't become 300 polls. */
import type { Instance } from "#contract/Instance"
import { formatDuration } from "../definition/Duration.ts"
import type { Api } from "../api/Api.ts"
import type { Host } from "../engine/Host.ts"
import { isTransient, retryAfterOf, UserError, WaitTimeoutError } from "../api/Errors.ts"

/**
 * ms; the pauses before the first looks. A simulated server is ready at once, a real one never: then these cost two
 * small calls.
 */
const EARLY_DELAYS = [25, 100] as const
export const FIRST_DELAY: number = EARLY_DELAYS[1]
/** Early looks that are made one by one at most: a list of hundreds of servers costs more than this many of one. */
const EARLY_SEPARATE = 8
/** ms; the pace after the early looks. Deploying takes a minute or two. */
export const MIN_DELAY = 1_000
export const MAX_DELAY = 10_000
/** Each look waits this much longer than the one before. */
export const GROWTH = 1.5
/** ms; how often a wait says what it is at. */
export const PROGRESS_EVERY = 15_000

interface Waiter {
  readonly id: number
  readonly name: string
  readonly until: (instance: Instance) => boolean
  readonly deadline: number
  readonly timeout: number
  readonly resolve: (instance: Instance) => void
  readonly reject: (error: unknown) => void
  /** When to look next, and how often it was looked when that came. */
  due: number
  looks: number
  said: number
}

export interface Wait {
  readonly id: number
  /** How the user calls the resource. */
  readonly name: string
  readonly until: (instance: Instance) => boolean
  /** ms from now. */
  readonly timeout: number
}

/** ms; how long to wait before the next look, after so many. */
const pauseAfter = (looks: number): number =>
  EARLY_DELAYS[looks] ?? Math.min(MIN_DELAY * GROWTH ** (looks - EARLY_DELAYS.length), MAX_DELAY)

export class InstanceWatcher {
  readonly #api: Api
  readonly #host: Host
  readonly #waiters = new Set<Waiter>()
  #looping = false

  constructor(api: Api, host: Host) {
    this.#api = api
    this.#host = host
  }

  /**
   * Resolves with the first state of the instance that `until` accepts.
   * @throws WaitTimeoutError after `timeout`; the API's error when the key is refused or the instance is not found.
   */
  wait(wait: Wait): Promise<Instance> {
    const now = this.#host.now()
    const waiting = new Promise<Instance>((resolve, reject) => {
      this.#waiters.add({
        ...wait,
        resolve,
        reject,
        deadline: now + wait.timeout,
        due: now + pauseAfter(0),
        looks: 0,
        said: now
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
        else await this.#look(now)
      }
    } catch (error) {
      // The host ends all waiting at once: the run was cancelled.
      for (const waiter of this.#waiters) this.#settle(waiter, () => waiter.reject(error))
    } finally {
      this.#looping = false
    }
  }

  async #look(now: number): Promise<void> {
    await this.#host.checkpoint()
    const due = [...this.#waiters].filter((waiter) => waiter.due <= now)
    const isEarly = due.length <= EARLY_SEPARATE && due.every(({ looks }) => looks < EARLY_DELAYS.length)
    if (isEarly) await Promise.all(due.map((waiter) => this.#lookAfter([waiter], now)))
    // One look serves all, also those whose turn was later: so the waits of a process fall into step.
    else await this.#lookAfter([...this.#waiters], now)
    this.#expire()
  }

  async #lookAfter(watched: ReadonlyArray<Waiter>, now: number): Promise<void> {
    const pause = await this.#observe(watched)
    for (const waiter of watched) {
      if (waiter.due <= now) waiter.looks++
      waiter.due = Math.min(this.#host.now() + Math.max(pauseAfter(waiter.looks), pause), waiter.deadline)
    }
  }

  /** Asks for one instance, or for all with a single call; answers how long (ms) the service wants to be left alone. */
  async #observe(watched: ReadonlyArray<Waiter>): Promise<number> {
    try {
      const [only, ...others] = new Set(watched.map((waiter) => waiter.id))
      const seen = others.length === 0 ? [await this.#api.get(only!)] : await this.#api.list()
      const byId = new Map(seen.map((instance) => [instance.id, instance]))
      for (const waiter of watched) this.#judge(waiter, byId.get(waiter.id))
      return 0
    } catch (error) {
      if (!isTransient(error)) { for (const waiter of watched) this.#settle(waiter, () => waiter.reject(error)) }
      return (retryAfterOf(error) ?? 0) * 1_000
    }
  }

  #judge(waiter: Waiter, instance: Instance | undefined): void {
    if (instance === undefined) {
      const gone = new UserError(`server ${waiter.id} is no longer listed; run \`pulumi refresh\``)
      return this.#settle(waiter, () => waiter.reject(gone))
    }
    if (waiter.until(instance)) return this.#settle(waiter, () => waiter.resolve(instance))
    const now = this.#host.now()
    if (now - waiter.said < PROGRESS_EVERY) return
    waiter.said = now
    this.#host.progress(`${waiter.name}: server ${waiter.id} is ${instance.status}`)
  }

  #expire(): void {
    const now = this.#host.now()
    for (const waiter of this.#waiters) {
      if (now < waiter.deadline) continue
      const late = new WaitTimeoutError(`server ${waiter.id} was waited for ${formatDuration(waiter.timeout)}`)
      this.#settle(waiter, () => waiter.reject(late))
    }
  }

  #settle(waiter: Waiter, finish: () => void): void {
    this.#waiters.delete(waiter)
    finish()
  }
}
