/** Everything that can go wrong, as a person should read it. */
import type { Properties } from "../definition/Properties.ts"

/** Leaves the state as it was. Its message names the resource, what happened, what it cost and what to do. */
export class UserError extends Error {}

/**
 * The resource exists (and is paid for), but is not yet what the program asks for. The engine stores the id and the
 * properties, shows the reasons, and calls `update` on the next run, which goes on from there.
 */
export class PartialCreateError extends Error {
  readonly resourceId: string
  readonly properties: Properties
  readonly reasons: ReadonlyArray<string>
  constructor(resourceId: string, properties: Properties, reasons: ReadonlyArray<string>) {
    super(reasons.join("\n"))
    this.resourceId = resourceId
    this.properties = properties
    this.reasons = reasons
  }
}

/** A step ran out of time. What it was waiting for goes on without us. */
export class WaitTimeoutError extends UserError {}

/** The user ended the run. Like a time that is up: what exists is kept, and the next run goes on with it. */
export class CancelledError extends WaitTimeoutError {
  constructor() {
    super("the run was cancelled")
  }
}

/** Texts of others end with a full stop or not; one is enough. */
export const sentence = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/** The SDK's errors, read by shape: the same whether they come from the client or from a test's double. */
interface ApiErrorFields {
  readonly _tag?: string
  readonly status?: number
  readonly detail?: unknown
  readonly requestId?: string
  readonly retryAfter?: number
  readonly missingScope?: string
}

const fieldsOf = (error: unknown): ApiErrorFields => (error !== null && typeof error === "object" ? error : {})

/** The HTTP status that the service answered with; undefined when there was no answer. */
export const statusOf = (error: unknown): number | undefined => {
  const { status } = fieldsOf(error)
  return typeof status === "number" ? status : undefined
}

/** Seconds until the service wants to be asked again; undefined when it did not say. */
export const retryAfterOf = (error: unknown): number | undefined => {
  const { retryAfter } = fieldsOf(error)
  return typeof retryAfter === "number" ? retryAfter : undefined
}

/** Did the request get no answer (refused, reset, timed out)? Then the service may or may not have acted. */
export const isUnanswered = (error: unknown): boolean =>
  ["ConnectionError", "TimeoutError"].includes(String(fieldsOf(error)._tag))

/** Has the same request a chance in a moment? */
export const isTransient = (error: unknown): boolean => {
  const status = statusOf(error)
  return isUnanswered(error) || status === 429 || (status !== undefined && status >= 500)
}

/** Is it certain that the service has not done what it was asked? */
export const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error)
  return !isUnanswered(error) && (status === undefined || (status >= 400 && status < 500))
}

const KEY_HINT = "Set VPS_API_KEY (it wins over `vps:apiKey`); refresh and destroy use the key stored in state, "
  + "so after a rotation either run `pulumi up` or set VPS_API_KEY."

/** One sentence or two about an error of the API or of ours; it never holds a request's body. */
export const explain = (error: unknown): string => {
  if (error instanceof UserError || error instanceof PartialCreateError) return error.message
  const status = statusOf(error)
  const text = error instanceof Error ? error.message : String(error)
  if (status === undefined) return text
  const { detail, requestId, missingScope } = fieldsOf(error)
  const said = typeof detail === "string" ? detail : text
  const suffix = requestId === undefined ? "" : ` (request ${requestId})`
  if (status === 401) return `the API key was refused (401): ${sentence(`${said}${suffix}`)} ${KEY_HINT}`
  if (status === 403) {
    return `the API key may not do this (403): ${sentence(`${said}${suffix}`)}${scopeHint(missingScope)}`
  }
  return `the service answered ${status}: ${said}${suffix}`
}

const scopeHint = (scope: string | undefined): string =>
  scope === undefined ? "" : ` Use a key with the scope ${scope}.`
