/** What kill -9 is to an engine that lives inside the test's process: from now on it does, and stores, nothing. */
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

  /** The result, unless the engine is dead by then: nobody is there any more to continue with it. */
  async unless<A>(work: Promise<A>): Promise<A> {
    const settled = await work.then((value) => () => value, (error: unknown) => () => {
      throw error
    })
    return this.#dead ? await new Promise<A>(() => undefined) : settled()
  }
}
