/** A stack as a test sees it; the same for the test engine and for the real `pulumi` CLI. */

export interface Result {
  readonly code: number
  /** All that was printed, without colours. */
  readonly output: string
}

export interface Running {
  readonly done: Promise<Result>
  /** kill -9 of the engine and of all its descendants, as when a machine dies or a CI job is ended. */
  readonly kill: () => Promise<Result>
  /** kill -9 of the engine alone: its providers live on as orphans. */
  readonly killEngine: () => Promise<Result>
  /** The processes that it has started by now. */
  readonly descendants: () => Orphans
}

export interface Orphans {
  /** Resolves when the providers among them have ended by themselves. */
  readonly providersGone: () => Promise<void>
  /** Ends the others: the real language host outlives its engine for ever. */
  readonly kill: () => void
}

export interface StateResource {
  readonly urn: string
  readonly type: string
  readonly id: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>>
  readonly initErrors: ReadonlyArray<string>
}

/** "replace" is `pulumi up --replace` of the Instance `web`: what a user does who wants a fresh one. */
export type Verb = "up" | "preview" | "refresh" | "destroy" | "replace"

export interface Stack {
  /** Writes the program that the next runs use: the text of an ES module. */
  readonly program: (source: string) => void
  /** Added to the environment of every later run. */
  readonly environment: (variables: Readonly<Record<string, string>>) => void
  /** Sets `vps:<name>` in the stack's configuration. */
  readonly configure: (name: string, value: string, secrecy: "secret" | "plain") => Promise<void>
  readonly start: (verb: Verb) => Running
  readonly run: (verb: Verb) => Promise<Result>
  /** Did this run find nothing to create, change or delete? */
  readonly unchanged: (result: Result) => boolean
  /** Lets the next run go ahead after a crash: the real engine leaves a lock behind. */
  readonly unlock: () => Promise<void>
  /** The resources that the program made, without the stack and the providers. */
  readonly resources: () => Promise<ReadonlyArray<StateResource>>
  /** Everything that is stored anywhere, as text. */
  readonly stored: () => string
  readonly dispose: () => Promise<void>
}
