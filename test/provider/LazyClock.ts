/** The time of a test. Many short sleeps move the emulator's clock with one request, before the next API call. */
import { setImmediate } from "node:timers/promises"

export class LazyClock {
  now: number
  readonly #advance: (ms: number) => Promise<unknown>
  /** ms that have passed since the emulator's clock was moved. */
  #behind = 0
  #moving: Promise<unknown> = Promise.resolve()

  constructor(now: number, advance: (ms: number) => Promise<unknown>) {
    this.now = now
    this.#advance = advance
  }

  pass(ms: number): void {
    this.now += Math.ceil(ms)
    this.#behind += Math.ceil(ms)
  }

  /** The rest of this turn of the event loop runs before the time passes. */
  async sleep(ms: number): Promise<void> {
    await setImmediate()
    this.pass(ms)
  }

  /** Returns when the emulator's clock shows `now`. */
  async catchUp(): Promise<void> {
    const ms = this.#behind
    this.#behind = 0
    if (ms > 0) this.#moving = this.#moving.then(() => this.#advance(ms))
    await this.#moving
  }

  /** The emulator's clock was set to this time. */
  reset(now: number): void {
    this.now = now
    this.#behind = 0
  }
}
