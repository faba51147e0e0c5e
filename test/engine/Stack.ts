/** A stack as a test sees it; the same for the test engine and for the real `pulumi` CLI. */
import type { Words } from "#provider/HostWords"

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
  /** kill -9 of the provider alone: the engine sees its call break off. */
  readonly killProvider: () => Promise<Result>
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
  /** The old half of a replacement, still to be deleted. */
  readonly delete: boolean
  /** The URL of the file, `#`, the line and the column where the program makes it; undefined when not known. */
  readonly sourcePosition?: string | undefined
}

/** An operation that a crash cut off. */
export interface Pending {
  readonly type: "creating" | "updating" | "deleting"
  readonly urn: string
}

export interface Exported {
  /** The resources that the program made, without the stack and the providers. */
  readonly resources: ReadonlyArray<StateResource>
  readonly pending: ReadonlyArray<Pending>
}

export type Verb = "up" | "preview" | "refresh" | "destroy"

export interface RunOptions {
  /** URNs: `--replace`, what a user does who wants a fresh one. */
  readonly replace?: ReadonlyArray<string>
  /** `up --refresh` */
  readonly refresh?: boolean
  readonly continueOnError?: boolean
  /** The number of parallel steps; 8 by default. */
  readonly parallel?: number
}

export interface Stack {
  /** The words of its host's messages. */
  readonly words: Words
  /** Writes the program that the next runs use: the text of an ES module. */
  readonly program: (source: string) => void
  /** Added to the environment of every later run. */
  readonly environment: (variables: Readonly<Record<string, string>>) => void
  /** Sets `vps:<name>` in the stack's configuration. */
  readonly configure: (name: string, value: string, secrecy: "secret" | "plain") => Promise<void>
  readonly start: (verb: Verb, options?: RunOptions) => Running
  readonly run: (verb: Verb, options?: RunOptions) => Promise<Result>
  /** Did this run find nothing to create, change or delete? */
  readonly unchanged: (result: Result) => boolean
  /** `pulumi cancel`: a crash leaves a lock behind, and without this no other run goes ahead. */
  readonly cancel: () => Promise<void>
  readonly exportState: () => Promise<Exported>
  /** Takes what `pulumi stack export --show-secrets` has written. */
  readonly importState: (json: string) => Promise<void>
  /** Puts back what an earlier `save` has answered: state and all. */
  readonly save: () => () => void
  /** Everything that is stored anywhere, as text. */
  readonly stored: () => string
  readonly dispose: () => Promise<void>
}

/** The URN of a resource of a test's program: type `vps:Instance` becomes what the dynamic host calls it. */
export const urnOf = (type: string, name: string): string =>
  `urn:pulumi:test::project::pulumi-nodejs:dynamic/${type}::${name}`
