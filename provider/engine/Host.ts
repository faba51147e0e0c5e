/** The process that the lifecycle runs in. */
import { setFlagsFromString } from "node:v8"

/** The process that the lifecycle runs in. */
export interface Host {
  /** One line for the user, repeated in the final summary. */
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
  /** The progress of a long wait; shown live only. */
  readonly progress: (message: string) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called between steps: does not return when the engine is gone, because nothing would record the next step. */
  readonly checkpoint: () => Promise<void>
}

/**
 * V8 doubles the space of young objects again and again, and so holds 20 to 40 MB of garbage when 300 resources are
 * created. At its initial size it is collected more often, for a twentieth of this process's CPU time, which delays
 * nothing. Only for a process of our own: a program that imports this package keeps its settings.
 */
export const limitHeapGrowth = (): void => setFlagsFromString("--semi-space-growth-factor=1")
