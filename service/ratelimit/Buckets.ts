/** The state of each subject of a rate, in memory. A subject whose burst is free again needs no entry. */
import { check, type Rate, type Standing } from "../domain/Gcra.ts"

export class Buckets {
  readonly #rate: Rate
  readonly #capacity: number
  readonly #arrivals = new Map<number | string, number>()

  constructor(rate: Rate, capacity: number) {
    this.#rate = rate
    this.#capacity = capacity
  }

  /** The standing of a subject if it took one now. */
  check(subject: number | string, now: number): Standing {
    return check(this.#rate, this.#arrivals.get(subject) ?? 0, now)
  }

  /** Takes one. */
  take(subject: number | string, { arrival }: Standing, now: number): void {
    if (this.#arrivals.size >= this.#capacity && !this.#arrivals.has(subject)) this.#makeRoom(now)
    this.#arrivals.set(subject, arrival)
  }

  /** Returns the one that was taken last. */
  giveBack(subject: number | string): void {
    const arrival = this.#arrivals.get(subject)
    if (arrival !== undefined) this.#arrivals.set(subject, arrival - this.#rate.windowMillis / this.#rate.quota)
  }

  clear(): void {
    this.#arrivals.clear()
  }

  get size(): number {
    return this.#arrivals.size
  }

  /** Drops the subjects whose burst is free again; if there are none, the one with the oldest entry. */
  #makeRoom(now: number): void {
    for (const [subject, arrival] of this.#arrivals) {
      if (arrival <= now) this.#arrivals.delete(subject)
    }
    for (const subject of this.#arrivals.keys()) {
      if (this.#arrivals.size < this.#capacity) return
      this.#arrivals.delete(subject)
    }
  }
}
