/** Chooses the service and the API key that a command uses. */
import * as Effect from "effect/Effect"
import type { Environment } from "../Environment.ts"
import { type Contexts, findContext, readContexts } from "./ContextFile.ts"
import { CommandError, didYouMean, EXIT, notFoundError } from "../errors/CommandError.ts"
import { sanitize } from "#contract/Text"
import type { Hooks } from "../../client/options/Options.ts"

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
