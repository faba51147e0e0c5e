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
