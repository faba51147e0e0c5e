/**
 * Chooses the service and the API key that a command uses, from the file of saved contexts. Only its owner can
 * read it. A write replaces the file atomically, so a reader never sees a partial one.
 */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { didYouMean } from "../../Suggestions.ts"
import { CommandError, EXIT, notFoundError, usageError } from "../errors/CommandError.ts"
import { makeFolder } from "../shared/Folder.ts"
import { LOCK_POLL_MILLIS, LOCK_WAIT_MILLIS } from "../Limits.ts"
import { printNote } from "../output/Output.ts"
import type { Environment } from "../Environment.ts"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import type { Hooks } from "../../client/options/Options.ts"

/** An account on a service. */
export interface Context {
  readonly base_url: string
  readonly api_key: string
}

export interface Contexts {
  /** The context that is used without `--context`; null when none is selected. */
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
}

const NONE: Contexts = { current: null, contexts: {} }

/** Only the owner can read and write. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS_MASK = 0o077
const MODE_MASK = 0o777

const fileError = (message: string, hint?: string) => new CommandError({ message, hint, exit: EXIT.failed })

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

/**
 * Restricts a file that others can read to its owner, and warns, because the keys may have been read. Container
 * platforms mount secrets read-only, with a mode of their own: there the command runs all the same.
 */
const restrictPermissions = Effect.fnUntraced(function*(file: string) {
  const mode = statSync(file).mode & MODE_MASK
  // Windows does not have these permissions: it reports the same mode for every file.
  if (process.platform === "win32" || (mode & OTHERS_MASK) === 0) return
  const problem = `${file} contains API keys and was readable by others (mode ${mode.toString(8)})`
  yield* Effect.try({
    try: () => chmodSync(file, FILE_MODE),
    catch: (cause) => (cause as NodeJS.ErrnoException).code ?? "unknown error"
  }).pipe(Effect.matchEffect({
    onSuccess: () => printNote(`vps: ${problem}. Its mode is 600 now. If others use this computer, replace the keys.`),
    onFailure: (code) => printNote(`vps: ${problem}. Its mode cannot be changed (${code}). Mount it with mode 400.`)
  }))
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

/** Reads the saved contexts. A missing file counts as no contexts. */
export const readContexts = Effect.fnUntraced(function*(file: string): Effect.fn.Return<Contexts, CommandError> {
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (cause) => isMissing(cause) ? undefined : fileError(`Cannot read ${file}: ${(cause as Error).message}`)
  }).pipe(Effect.catch((error) => error === undefined ? Effect.succeed(undefined) : Effect.fail(error)))
  if (text === undefined) return NONE
  yield* restrictPermissions(file)
  const contexts = parse(text)
  if (contexts !== undefined) return contexts
  return yield* fileError(`${file} is not a context file.`, "Move it elsewhere, then log in again: vps login")
})

/** A symbolic link stays a link: some people keep their settings in a repository. */
const resolveLink = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

const replaceFile = (path: string, contexts: Contexts): void => {
  const draft = `${path}.${randomUUID()}`
  try {
    const open = openSync(draft, "wx", FILE_MODE)
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

const cannotWrite = (file: string) => (cause: unknown) => fileError(`Cannot write ${file}: ${(cause as Error).message}`)

/** Makes the lock's file; false while another process has it. */
const tryLock = (file: string, lock: string): Effect.Effect<boolean, CommandError> =>
  Effect.try({
    try: () => {
      makeFolder(dirname(lock), FOLDER_MODE)
      try {
        closeSync(openSync(lock, "wx", FILE_MODE))
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
        throw error
      }
    },
    catch: cannotWrite(file)
  })

/**
 * Waits until no other process changes the file. A lock is held for milliseconds, so one that stays was left by a
 * process that was killed. It is not taken over: two that tried at once would both believe they have it.
 */
const acquireLock = Effect.fnUntraced(function*(file: string, lock: string) {
  for (let waited = 0; !(yield* tryLock(file, lock)); waited += LOCK_POLL_MILLIS) {
    if (waited >= LOCK_WAIT_MILLIS) {
      return yield* fileError(`Another process is changing ${file}.`, `If none is, delete the file ${lock}`)
    }
    yield* Effect.interruptible(Effect.sleep(LOCK_POLL_MILLIS))
  }
})

/** Reads the contexts, changes and writes them, while no other process does. */
export const updateContexts = Effect.fnUntraced(function*(
  file: string,
  change: (contexts: Contexts) => Contexts
): Effect.fn.Return<Contexts, CommandError> {
  const path = resolveLink(file)
  const lock = `${path}.lock`
  return yield* Effect.acquireUseRelease(
    acquireLock(file, lock),
    Effect.fnUntraced(function*() {
      const changed = change(yield* readContexts(file))
      yield* Effect.try({ try: () => replaceFile(path, changed), catch: cannotWrite(file) })
      return changed
    }),
    () => Effect.sync(() => rmSync(lock, { force: true }))
  )
})

/** Names are stored in a file and typed on command lines. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const validateContextName = (name: string): Effect.Effect<string, CommandError> =>
  NAME.test(name)
    ? Effect.succeed(name)
    : Effect.fail(usageError(
      `"${name}" is not a valid context name.`,
      "Use 1 to 64 letters, digits, dots, dashes, and underscores, starting with a letter or digit."
    ))

/** The context with this name. */
export const findContext = ({ contexts }: Contexts, name: string): Context | undefined =>
  Object.hasOwn(contexts, name) ? contexts[name] : undefined

// `--debug`: a line on standard error for each response and retry. The hooks of the SDK never receive a secret.

const print = (text: string): void => void process.stderr.write(`debug: ${sanitize(text)}\n`)

export const debugHooks = (baseUrl: string, context: string | undefined): Hooks => {
  print(`${baseUrl} with the key from ${context === undefined ? "VPS_API_KEY" : `context "${context}"`}`)
  return {
    afterResponse: ({ attempt, elapsed, error, idempotencyKey, method, path, requestId, status }) => {
      const details = [
        `${Math.round(elapsed)} ms`,
        ...(attempt > 1 ? [`attempt ${attempt}`] : []),
        ...(idempotencyKey === undefined ? [] : [`idempotency key ${idempotencyKey}`]),
        ...(requestId === undefined ? [] : [`request ID ${requestId}`])
      ]
      print(`${method} ${path}: ${status ?? error?._tag ?? "no response"}, ${details.join(", ")}`)
    },
    onRetry: ({ delay, error }) => print(`${error._tag}: ${error.message}. Retrying in ${Math.round(delay)} ms.`)
  }
}

export interface Connection {
  readonly apiKey: string
  readonly baseUrl: string
  /** The context that the key is from; undefined if it is from `VPS_API_KEY`. */
  readonly context: string | undefined
}

const unauthorized = (message: string, hint: string) => new CommandError({ message, hint, exit: EXIT.auth })

const LOGIN = "Log in with \"vps login\", or set VPS_API_KEY and VPS_BASE_URL."
const SELECT = "Run \"vps context list\" to see all contexts, then select one: vps context use <name>"

const findOrFail = (all: Contexts, name: string) => {
  const context = findContext(all, name)
  return context === undefined
    ? Effect.fail(notFoundError(`Context "${name}" not found.`, didYouMean(name, Object.keys(all.contexts))))
    : Effect.succeed(context)
}

/**
 * Uses `--context` first, then the environment variables, then the current context. One environment variable is enough,
 * but a saved key is never sent to another service than the one it was saved for.
 */
export const resolveConnection = Effect.fnUntraced(function*(
  { apiKey, baseUrl, contextFile }: Environment,
  name: string | undefined
): Effect.fn.Return<Connection, CommandError> {
  if (name === undefined && apiKey !== undefined && baseUrl !== undefined) {
    return { apiKey, baseUrl, context: undefined }
  }
  const all = yield* readContexts(contextFile)
  if (name !== undefined) {
    const { api_key, base_url } = yield* findOrFail(all, name)
    return { apiKey: api_key, baseUrl: base_url, context: name }
  }
  if (all.current === null) {
    if (Object.keys(all.contexts).length > 0) return yield* unauthorized("No context is selected.", SELECT)
    const missing = apiKey === undefined ? "No API key" : "No base URL"
    return yield* unauthorized(`${missing}. You are not logged in.`, LOGIN)
  }
  const { api_key, base_url } = yield* findOrFail(all, all.current)
  if (apiKey === undefined && baseUrl !== undefined && baseUrl !== base_url) {
    return yield* unauthorized(
      `VPS_BASE_URL is ${baseUrl}, but the key of context "${all.current}" belongs to ${base_url}.`,
      "Set VPS_API_KEY too, unset VPS_BASE_URL, or log in to that service: vps login --context <name>"
    )
  }
  return { apiKey: apiKey ?? api_key, baseUrl: base_url, context: apiKey === undefined ? all.current : undefined }
})
