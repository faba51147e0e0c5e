/** Errors as users read them, and the classification of the SDK's errors. */
import type { Properties } from "../definition/Properties.ts"

const ENDED = new Set(["failed", "expired", "deleted"])

/** Such an instance holds no data worth keeping and renews no more. */
export const isEnded = (status: string): boolean => ENDED.has(status)

/** Leaves the state as it was. Its message names the resource, what happened, what it cost and what to do. */
export class UserError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
  }
}

/**
 * The resource exists (and is paid for), but does not match the program yet. The engine stores the id and the
 * properties, shows the reasons, and calls `update` on the next run, which continues from there.
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

/** A step ran out of time. The operation it waited for continues in the background. */
export class DeadlineError extends UserError {}

/** The user canceled the run. As after a timeout, what exists stays in the state, and the next run continues. */
export class CanceledError extends DeadlineError {
  constructor() {
    super("the run was canceled")
  }
}

/** Adds the period where a text of others lacks one. */
export const sentence = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/** True for a complete user error; after a timeout the operation may still succeed. */
export const isFinal = (error: unknown): error is UserError =>
  error instanceof UserError && !(error instanceof DeadlineError)

/** The SDK's errors, read structurally: the same whether they come from the client or from a test double. */
interface ApiErrorFields {
  readonly _tag?: string
  readonly status?: number
  readonly detail?: unknown
  readonly requestId?: string
  readonly retryAfter?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly missingScope?: string
  /** The way to correct the settings; added by `Api.ts`. */
  readonly hint?: string
}

const fieldsOf = (error: unknown): ApiErrorFields => (error !== null && typeof error === "object" ? error : {})

/** The HTTP status of the response; undefined when there was none. */
export const statusOf = (error: unknown): number | undefined => {
  const { status } = fieldsOf(error)
  return typeof status === "number" ? status : undefined
}

/** The response's Retry-After in seconds; undefined when it had none. */
export const retryAfterOf = (error: unknown): number | undefined => {
  const { retryAfter } = fieldsOf(error)
  return typeof retryAfter === "number" ? retryAfter : undefined
}

/** The service's description of the problem. */
export const detailOf = (error: unknown): string => {
  const { detail } = fieldsOf(error)
  return typeof detail === "string" ? detail : ""
}

/** The charge, like "6.99 EUR", of a request that was refused because it exceeds the one that was approved. */
export const raisedChargeOf = (error: unknown): string | undefined => fieldsOf(error).headers?.["vps-charge"]

/** The request got no response (refused, reset, timed out): the service may or may not have acted. */
export const isUnanswered = (error: unknown): boolean =>
  ["ConnectionError", "TimeoutError"].includes(String(fieldsOf(error)._tag))

/** The same request may succeed in a moment. */
export const isTransient = (error: unknown): boolean => {
  const status = statusOf(error)
  return isUnanswered(error) || status === 429 || (status !== undefined && status >= 500)
}

/** The service has certainly not acted. */
export const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error)
  return !isUnanswered(error) && (status === undefined || (status >= 400 && status < 500))
}

/** One or two sentences about any error; they never contain a request's body. */
export const explain = (error: unknown): string => {
  if (error instanceof UserError || error instanceof PartialCreateError) return error.message
  const status = statusOf(error)
  const text = error instanceof Error ? error.message : String(error)
  if (status === undefined) return text
  const { detail, hint, missingScope, requestId } = fieldsOf(error)
  const message = `${typeof detail === "string" ? detail : text}${
    requestId === undefined ? "" : ` (request ${requestId})`
  }`
  if (status === 401) {
    return `the API key was rejected (401): ${sentence(message)}${hint === undefined ? "" : ` ${hint}`}`
  }
  if (status === 403) {
    const scope = missingScope === undefined ? "" : ` Use a key with the scope ${missingScope}.`
    return `the API key lacks permission (403): ${sentence(message)}${scope}`
  }
  return `the service returned ${status}: ${message}`
}
