/** What went wrong, what to do about it, and how to speak about it with the host's support. */
import {
  ApiError,
  ForbiddenError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
  UnauthorizedError,
  ValidationError
} from "../client/errors/ApiErrors.ts"
import {
  ArgumentError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  type VpsError,
  WaitTimeoutError
} from "../client/errors/Errors.ts"
import { EXIT, type ExitCode } from "./ExitCode.ts"
import { json } from "./output/Show.ts"
import { Refusal } from "./Refusal.ts"
import { harmless, paint, type Surface } from "./terminal/Surface.ts"

/** Everything a command can fail with. */
export type Failure = Refusal | VpsError

const exitOf = (error: Failure): ExitCode => {
  if (error instanceof Refusal) return error.exit
  if (error instanceof NotFoundError) return EXIT.notFound
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return EXIT.auth
  if (error instanceof PaymentRequiredError) return EXIT.funds
  if (error instanceof WaitTimeoutError) return EXIT.late
  if (error instanceof ArgumentError || error instanceof ConfigurationError) return EXIT.usage
  return EXIT.failed
}

const MILLIS = 1_000

const isServer = (status: number): boolean => status >= 500

export const FILL_WALLET = "Fill the wallet in the panel, then run the same command again."

const apiHint = (error: ApiError): string | undefined => {
  if (error instanceof UnauthorizedError) return "Log in with a valid key: vps login"
  if (error instanceof ForbiddenError) {
    const scope = error.missingScope === undefined ? "that scope" : `the scope ${error.missingScope}`
    return `Log in with a key that has ${scope}: vps login`
  }
  if (error instanceof PaymentRequiredError) return FILL_WALLET
  if (error instanceof RateLimitError && error.retryAfter !== undefined) return `Try again in ${error.retryAfter} s.`
  if (error.retryAfter !== undefined) return `It is busy: try again in ${error.retryAfter} s.`
  if (isServer(error.status)) return "The host has trouble; try again in a moment."
  return undefined
}

/** A purchase that may be, or is, made must be resumed and never be repeated. */
const purchaseHint = (error: VpsError): string | undefined => {
  const { idempotencyKey, instanceId } = error
  const key = idempotencyKey === undefined ? "" : ` (idempotency key ${idempotencyKey})`
  if (error instanceof WaitTimeoutError) return `It goes on by itself${key}. Wait on: vps instance wait ${instanceId}`
  if (idempotencyKey === undefined) return undefined
  if (instanceId !== undefined) return `Instance ${instanceId} is bought${key}: vps instance get ${instanceId}`
  // What was refused for a reason would be refused again: only a lost or failed answer leaves the purchase open.
  const open = !(error instanceof ApiError) || isServer(error.status) || error instanceof RateLimitError
  return open ? `The same command with ${resumeWith(idempotencyKey)}` : undefined
}

/** How a purchase whose answer did not come is gone on with. */
export const resumeWith = (key: string): string => `--idempotency-key ${key} goes on from here and never buys twice.`

const hintOf = (error: Failure): string | undefined => {
  if (error instanceof Refusal) return error.hint
  const purchase = purchaseHint(error)
  if (purchase !== undefined) return purchase
  if (error instanceof ApiError) return apiHint(error)
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return "Is the address right, and the network up? \"vps context list\" shows the address."
  }
  return undefined
}

/** The host's own words, without the method and path that a person did not type. */
const messageOf = (error: Failure): string => {
  if (error instanceof ValidationError && error.issues.length > 0) {
    return error.issues.map(({ loc, msg }) => `${loc.slice(1).join(".") || loc.join(".")}: ${msg}`).join("\n")
  }
  if (error instanceof WaitTimeoutError) {
    const status = error.instance === undefined ? "" : ` (status ${error.instance.status})`
    return `Instance ${error.instanceId} took longer than ${error.waitTimeout / MILLIS} s${status}.`
  }
  return error instanceof ApiError ? error.detail : error.message
}

/** All that there is to say about a failure. */
export interface Explanation {
  readonly exit: ExitCode
  /** For people. */
  readonly text: string
  /** For programs: one JSON document. */
  readonly document: string
}

export const explain = (error: Failure, surface: Pick<Surface, "colours">): Explanation => {
  const exit = exitOf(error)
  const message = messageOf(error)
  const hint = hintOf(error)
  const requestId = error instanceof Refusal ? undefined : error.requestId
  const lines = [
    ...message.split("\n").map(harmless),
    ...(hint === undefined ? [] : [harmless(hint)]),
    ...(requestId === undefined ? [] : [paint(surface, "dim", `Request id ${harmless(requestId)}`)])
  ]
  const text = lines.map((line) => `${paint(surface, "red", "vps:")} ${line}\n`).join("")
  const known = error instanceof Refusal ? {} : documented({ ...error.toJSON(), request_id: requestId })
  const document = { error: { name: error._tag, message, hint, exit_code: exit, ...known } }
  return { exit, text, document: `${json(document)}\n` }
}

/** Names as everywhere on the wire. */
const RENAMED: Readonly<Record<string, string>> = {
  responseLost: "answer_lost",
  idempotencyKey: "idempotency_key",
  instanceId: "instance_id",
  missingScope: "missing_scope",
  retryAfter: "retry_after",
  waitTimeout: "wait_timeout_ms"
}
const DROPPED = new Set(["_tag", "name", "requestId", "message"])

const documented = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !DROPPED.has(name))
      .map(([name, value]) => [RENAMED[name] ?? name, value])
  )
