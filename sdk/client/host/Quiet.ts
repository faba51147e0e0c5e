/** The end of a work at a host whose statuses are other words, and that shows no tasks. */

/** Milliseconds: long enough for a change to begin, and short enough to wait for at each step. */
const QUIET_MS = 10_000
/** The same for the status that the instance had before, once another one was observed in between. */
const QUIET_BACK_MS = 3_000
/** The same for a status that describes a work, like `rebooting`: longer than most. */
const QUIET_MOVING_MS = 60_000

/**
 * Takes a work for ended when the status has been the same for some time. A word like `rebooting` describes a work,
 * and counts for longer; the word that the instance had before the work, after another one, for less.
 */
export class Quiet {
  readonly #before: string | undefined
  #status: string | undefined
  #since = 0
  #hasMoved = false

  /** `before`: the status when the work began, if it is known. */
  constructor(before?: string) {
    this.#before = before
  }

  /** True when the status, at this time in milliseconds, has been the same for long enough. */
  isOver(status: string, now: number, isMoving = /ing$/i.test(status)): boolean {
    if (status !== this.#status) {
      if (this.#before !== undefined && status !== this.#before) this.#hasMoved = true
      this.#status = status
      this.#since = now
    }
    const isBack = this.#hasMoved && status === this.#before
    return now - this.#since >= (isBack ? QUIET_BACK_MS : isMoving ? QUIET_MOVING_MS : QUIET_MS)
  }
}
