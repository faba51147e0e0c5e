/** The trace of a run: a hash of all events, and the text of the last ones. */
import { createHash } from "node:crypto"

/** Events that a failure shows. */
const SHOWN = 60
/** Characters that are hashed at once. */
const CHUNK = 16_384

const SECOND = 1_000

/** Days, hours, minutes, seconds since the beginning. */
const timeOf = (millis: number): string => {
  const seconds = Math.floor(millis / SECOND)
  const part = (value: number) => String(value).padStart(2, "0")
  const clock = [Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(part).join(":")
  return `day ${Math.floor(seconds / 86_400)} ${clock}.${String(millis % SECOND).padStart(3, "0")}`
}

export class Trace {
  readonly #hash = createHash("sha256")
  #pending = ""
  #step = 0
  readonly #last: Array<string> = []
  /** Called with every event, for who wants to read along. */
  onEvent: ((line: string) => void) | undefined

  step(step: number, millis: number, index: number): void {
    this.#step = step
    this.#add(`${millis}/${index}\n`)
  }

  event(millis: number, event: string): void {
    this.#add(`${event}\n`)
    const line = `step ${this.#step}, ${timeOf(millis)}: ${event}`
    this.#last.push(line)
    if (this.#last.length > SHOWN) this.#last.shift()
    this.onEvent?.(line)
  }

  get last(): ReadonlyArray<string> {
    return this.#last
  }

  /** Call it once, at the end. */
  digest(): string {
    this.#hash.update(this.#pending)
    return this.#hash.digest("hex").slice(0, 16)
  }

  #add(text: string): void {
    this.#pending += text
    if (this.#pending.length < CHUNK) return
    this.#hash.update(this.#pending)
    this.#pending = ""
  }
}
