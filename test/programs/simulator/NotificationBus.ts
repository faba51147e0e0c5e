/** Notifications between the processes on one database, as LISTEN and NOTIFY; some get lost. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ReplicaBus, type ReplicaEvent as Word } from "#service/persistence/ReplicaBus"
import type { SimulatedProcess } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"
import type { FaultRates } from "./FaultRates.ts"

interface Listener {
  readonly proc: SimulatedProcess
  readonly word: Word
  readonly act: () => void
}

/** Longest way of a word, in milliseconds. */
const WAY_MILLIS = 50
/** Milliseconds without a notification before a process polls; longer than in production, to save steps. */
const PATIENCE_MILLIS = 10 * 60_000

export class NotificationBus {
  #listeners: Array<Listener> = []
  readonly #scheduler: VirtualScheduler
  readonly #rates: () => FaultRates

  constructor(scheduler: VirtualScheduler, rates: () => FaultRates) {
    this.#scheduler = scheduler
    this.#rates = rates
  }

  #tell(from: SimulatedProcess, word: Word): void {
    const { random } = this.#scheduler
    this.#listeners = this.#listeners.filter(({ proc }) => proc.alive)
    for (const { act, proc, word: heard } of this.#listeners) {
      if (proc === from || heard !== word || random.chance(this.#rates().network.lostRequest)) continue
      this.#scheduler.later(proc, random.below(WAY_MILLIS), act)
    }
  }

  /** The subscription of one of several processes. */
  layer(proc: SimulatedProcess): Layer.Layer<never> {
    return Layer.succeed(ReplicaBus, {
      ownsDatabase: false,
      publish: (word) => Effect.sync(() => this.#tell(proc, word)),
      subscribe: (word, act) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.sync(() => {
            this.#listeners.push({ proc, word, act: () => void Effect.runForkWith(context)(act) })
          })
        ),
      pollMillis: PATIENCE_MILLIS
    })
  }
}
