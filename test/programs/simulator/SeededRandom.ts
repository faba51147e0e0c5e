/** A seeded generator: every random choice of a simulation is drawn from here. */

/** A drawing of numbers; the same seed draws the same ones. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    // Neighbouring seeds shall have nothing in common.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
    for (let warm = 0; warm < 4; warm++) this.next()
  }

  /** From 0 to 1, without 1. The generator is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.below(from.length)]!
  }

  /** Another drawing, which goes its own way from here. */
  fork(): SeededRandom {
    return new SeededRandom(this.below(2 ** 32))
  }
}
