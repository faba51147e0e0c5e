/** A kill -9 of an engine in the test's process: from then on it does and stores nothing. */
export class KillSwitch {
  readonly #made = Promise.withResolvers<void>()
  #dead = false

  get dead(): boolean {
    return this.#dead
  }

  make(): void {
    this.#dead = true
    this.#made.resolve()
  }

  /** Resolves when it is made. */
  get made(): Promise<void> {
    return this.#made.promise
  }

  /** The result, unless the engine is dead by then: then the promise stays pending. */
  async unless<A>(work: Promise<A>): Promise<A> {
    const settled = await work.then((value) => () => value, (error: unknown) => () => {
      throw error
    })
    return this.#dead ? await new Promise<A>(() => undefined) : settled()
  }
}
