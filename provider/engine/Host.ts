/** The process that the lifecycle runs in. */
export interface Host {
  /** One line for the user, kept in the final summary. */
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
  /** What a long wait is at; shown live. */
  readonly progress: (message: string) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called between steps: does not return when the engine is gone, for nobody would record what we do next. */
  readonly checkpoint: () => Promise<void>
}
