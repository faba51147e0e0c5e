/** `--debug`: a line on standard error for each response and retry. The hooks of the SDK never receive a secret. */
import { sanitize } from "#contract/Text"
import type { Hooks } from "../../client/options/Hooks.ts"

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
