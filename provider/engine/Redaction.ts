/** Keeps secret inputs out of everything that a provider writes for people. */

/** In characters. A shorter secret would remove ordinary words from every message, and is easy to guess anyway. */
const SHORTEST = 4

const REPLACEMENT = "[secret]"

export class Redaction {
  readonly #texts = new Set<string>()
  #longestFirst: ReadonlyArray<string> | undefined

  /** Adds the secret strings of a request; they stay secret as long as the process runs. */
  add(texts: Iterable<string>): void {
    for (const text of texts) {
      if (text.length < SHORTEST || this.#texts.has(text)) continue
      // Messages quote values as JSON does.
      this.#texts.add(text).add(JSON.stringify(text).slice(1, -1))
      this.#longestFirst = undefined
    }
  }

  /** The message without any secret. */
  readonly redact = (message: string): string => {
    // The longest first: one secret may contain another one.
    this.#longestFirst ??= [...this.#texts].toSorted((one, other) => other.length - one.length)
    return this.#longestFirst.reduce((text, secret) => text.replaceAll(secret, REPLACEMENT), message)
  }
}
