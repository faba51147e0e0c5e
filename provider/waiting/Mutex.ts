/** Mutual exclusion by name: the service refuses a second operation on a busy instance, so none is sent. */
export class Mutex {
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` when all earlier work under this name has ended, whether it succeeded or failed. */
  async run<A>(name: string, work: () => Promise<A>): Promise<A> {
    const before = this.#tails.get(name) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result.then(() => undefined, () => undefined)
    this.#tails.set(name, tail)
    try {
      return await result
    } finally {
      // The last one removes the name, so that a long-lived process does not collect names.
      if (this.#tails.get(name) === tail) this.#tails.delete(name)
    }
  }
}
