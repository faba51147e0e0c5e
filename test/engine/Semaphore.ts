/** Lets a few in at a time: more engines than processors would only get in each other's way. */
export class Semaphore {
  #free: number
  readonly #waiting: Array<() => void> = []

  constructor(places: number) {
    this.#free = places
  }

  async pass<A>(work: () => Promise<A>): Promise<A> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The permit is handed over, so that no newcomer takes it.
      if (next === undefined) this.#free++
      else next()
    }
  }
}
