/** Where callers stand with a rate, in memory. Who has not been heard of for a while is as good as new. */
import { ask, type Rate, type Standing } from "../domain/Gcra.ts"

export class Buckets {
  readonly #rate: Rate
  readonly #capacity: number
  readonly #arrivals = new Map<number | string, number>()

  constructor(rate: Rate, capacity: number) {
    this.#rate = rate
    this.#capacity = capacity
  }

  /** How the caller stands; takes nothing yet. */
  ask(caller: number | string, now: number): Standing {
    return ask(this.#rate, this.#arrivals.get(caller) ?? 0, now)
  }

  /** Lets the request in. */
  take(caller: number | string, { arrival }: Standing, now: number): void {
    if (this.#arrivals.size >= this.#capacity && !this.#arrivals.has(caller)) this.#makeRoom(now)
    this.#arrivals.set(caller, arrival)
  }

  clear(): void {
    this.#arrivals.clear()
  }

  get size(): number {
    return this.#arrivals.size
  }

  /** Drops everybody whose burst is free again; if all are in the middle of one, the one that is known longest. */
  #makeRoom(now: number): void {
    for (const [caller, arrival] of this.#arrivals) {
      if (arrival <= now) this.#arrivals.delete(caller)
    }
    for (const caller of this.#arrivals.keys()) {
      if (this.#arrivals.size < this.#capacity) return
      this.#arrivals.delete(caller)
    }
  }
}
