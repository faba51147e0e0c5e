/** Which host is asked, and with which key. */
import * as Effect from "effect/Effect"
import type { Environment } from "./Config.ts"
import { contextNamed, type Contexts, readContexts } from "./Contexts.ts"
import { EXIT } from "./ExitCode.ts"
import { absent, Refusal } from "./Refusal.ts"
import { didYouMean } from "./Suggest.ts"

export interface Connection {
  readonly apiKey: string
  readonly baseUrl: string
}

const unauthorized = (message: string, hint: string) => new Refusal({ message, hint, exit: EXIT.auth })

const LOGIN = "Log in with \"vps login\", or set VPS_API_KEY and VPS_BASE_URL."
const CHOOSE = "Choose one of \"vps context list\": vps context use <name>"

const chosen = (all: Contexts, name: string) => {
  const context = contextNamed(all, name)
  return context === undefined
    ? Effect.fail(absent(`There is no context "${name}".`, didYouMean(name, Object.keys(all.contexts))))
    : Effect.succeed(context)
}

/**
 * What is named on the command line, then the environment, then the current context. Of the environment one half is
 * enough, as long as no saved key goes to a host that it was not saved for.
 */
export const connectionOf = Effect.fnUntraced(function*(
  { apiKey, baseUrl, file }: Environment,
  name: string | undefined
): Effect.fn.Return<Connection, Refusal> {
  if (name === undefined && apiKey !== undefined && baseUrl !== undefined) return { apiKey, baseUrl }
  const all = yield* readContexts(file)
  if (name !== undefined) {
    const { api_key, base_url } = yield* chosen(all, name)
    return { apiKey: api_key, baseUrl: base_url }
  }
  if (all.current === null) {
    if (Object.keys(all.contexts).length > 0) return yield* unauthorized("No context is the current one.", CHOOSE)
    const missing = apiKey === undefined ? "No API key" : "No base URL"
    return yield* unauthorized(`${missing}: you are not logged in.`, LOGIN)
  }
  const { api_key, base_url } = yield* chosen(all, all.current)
  if (apiKey === undefined && baseUrl !== undefined && baseUrl !== base_url) {
    return yield* unauthorized(
      `VPS_BASE_URL is ${baseUrl}, and the key of the context "${all.current}" is for ${base_url}.`,
      "Set VPS_API_KEY too, or unset VPS_BASE_URL, or log in to that host: vps login --context <name>"
    )
  }
  return { apiKey: apiKey ?? api_key, baseUrl: base_url }
})
