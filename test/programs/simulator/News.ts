/** What processes tell each other when they share a database, as LISTEN and NOTIFY do; some of it gets lost. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type News as Word, Replicas } from "#service/persistence/Replicas"
import type { Home, World } from "./World.ts"
import type { Weather } from "./Weather.ts"

interface Listener {
  readonly home: Home
  readonly word: Word
  readonly act: () => void
}

/** Longest way of a word, in milliseconds. */
const WAY_MILLIS = 50
/** How long a process waits for a word before it looks by itself; longer than in production, to save steps. */
const PATIENCE_MILLIS = 10 * 60_000

export class News {
  #listeners: Array<Listener> = []
  readonly #world: World
  readonly #weather: () => Weather

  constructor(world: World, weather: () => Weather) {
    this.#world = world
    this.#weather = weather
  }

  #tell(from: Home, word: Word): void {
    const { dice } = this.#world
    this.#listeners = this.#listeners.filter(({ home }) => home.alive)
    for (const { act, home, word: heard } of this.#listeners) {
      if (home === from || heard !== word || dice.chance(this.#weather().network.lostRequest)) continue
      this.#world.later(home, dice.below(WAY_MILLIS), act)
    }
  }

  /** One of several processes, as it hears of the others. */
  layer(home: Home): Layer.Layer<never> {
    return Layer.succeed(Replicas, {
      isAlone: false,
      tell: (word) => Effect.sync(() => this.#tell(home, word)),
      hear: (word, act) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.sync(() => {
            this.#listeners.push({ home, word, act: () => void Effect.runForkWith(context)(act) })
          })
        ),
      patience: PATIENCE_MILLIS
    })
  }
}
