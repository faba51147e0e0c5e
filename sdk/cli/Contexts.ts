/**
 * The file that holds the hosts and accounts a person works with, and their keys. It belongs to its owner alone, and
 * is replaced as a whole: a reader sees the old one or the new one, never half of either.
 */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { EXIT } from "./ExitCode.ts"
import { note } from "./output/Show.ts"
import { misused, Refusal } from "./Refusal.ts"

/** One host and one account on it. */
export interface Context {
  readonly base_url: string
  readonly api_key: string
}

export interface Contexts {
  /** The one that is used when none is named; null when there is none. */
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
}

const NONE: Contexts = { current: null, contexts: {} }

/** Readable and writable by the owner, and by nobody else. */
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077
const PERMISSIONS = 0o777

const unusable = (message: string, hint?: string) => new Refusal({ message, hint, exit: EXIT.failed })

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** What everybody could read is closed, and said, because somebody may have read it. */
const guard = Effect.fnUntraced(function*(file: string) {
  const mode = statSync(file).mode & PERMISSIONS
  // Windows has no such permissions, and answers the same mode for every file.
  if (process.platform === "win32" || (mode & OTHERS) === 0) return
  const problem = `${file} holds API keys and could be read by others (mode ${mode.toString(8)})`
  yield* Effect.try({
    try: () => chmodSync(file, PRIVATE),
    catch: () => unusable(`${problem}, and its mode cannot be changed.`, `Make it yours alone: chmod 600 ${file}`)
  })
  yield* note(`vps: ${problem}. It is yours alone now; if others use this machine, replace the keys.`)
})

const isContext = (value: unknown): value is Context => {
  if (typeof value !== "object" || value === null) return false
  const { api_key, base_url } = value as Partial<Context>
  return typeof api_key === "string" && typeof base_url === "string"
}

const parse = (text: string): Contexts | undefined => {
  try {
    const { contexts, current } = JSON.parse(text) as Partial<Contexts>
    const isWhole = typeof contexts === "object" && contexts !== null && Object.values(contexts).every(isContext)
    return isWhole ? { current: typeof current === "string" ? current : null, contexts } : undefined
  } catch {
    return undefined
  }
}

/** The saved contexts; none when there is no file. */
export const readContexts = Effect.fnUntraced(function*(file: string): Effect.fn.Return<Contexts, Refusal> {
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (cause) => isMissing(cause) ? undefined : unusable(`${file} cannot be read: ${(cause as Error).message}`)
  }).pipe(Effect.catch((problem) => problem === undefined ? Effect.succeed(undefined) : Effect.fail(problem)))
  if (text === undefined) return NONE
  yield* guard(file)
  const contexts = parse(text)
  if (contexts !== undefined) return contexts
  return yield* unusable(`${file} is not a file of contexts.`, "Move it away, then log in again: vps login")
})

/** A file that is a link elsewhere (people keep their settings in a repository) stays one. */
const target = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

const replace = (file: string, contexts: Contexts): void => {
  const path = target(file)
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER })
  const draft = `${path}.${randomUUID()}`
  try {
    const open = openSync(draft, "wx", PRIVATE)
    try {
      writeSync(open, `${JSON.stringify(contexts, null, 2)}\n`)
      fsyncSync(open)
    } finally {
      closeSync(open)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Reads the contexts again, changes them and puts them in place, so that little of another's change can be lost. */
export const changeContexts = Effect.fnUntraced(function*(
  file: string,
  change: (contexts: Contexts) => Contexts
): Effect.fn.Return<Contexts, Refusal> {
  const changed = change(yield* readContexts(file))
  yield* Effect.try({
    try: () => replace(file, changed),
    catch: (cause) => unusable(`${file} cannot be written: ${(cause as Error).message}`)
  })
  return changed
})

/** Names go into a file and onto command lines. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const checkedName = (name: string): Effect.Effect<string, Refusal> =>
  NAME.test(name)
    ? Effect.succeed(name)
    : Effect.fail(misused(
      `"${name}" cannot name a context.`,
      "A name has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit."
    ))

/** The context of a name. */
export const contextNamed = ({ contexts }: Contexts, name: string): Context | undefined =>
  Object.hasOwn(contexts, name) ? contexts[name] : undefined
