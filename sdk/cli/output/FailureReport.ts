/** Error messages: what is wrong, what to do about it, and the request ID for support. */
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import {
  ApiError,
  ForbiddenError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
  UnauthorizedError,
  ValidationError,
  type ValidationIssue
} from "../../client/errors/ApiErrors.ts"
import {
  ArgumentError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  type VpsError,
  WaitTimeoutError
} from "../../client/errors/Errors.ts"
import { CommandError, EXIT, type ExitCode } from "../errors/CommandError.ts"
import { json } from "./Output.ts"
import { paint, type TerminalCapabilities } from "../terminal/Terminal.ts"

// The problem with a field in plain words. The API has those of a validator: "Input should be ...", "Value error".

/** Sentences of which no part names the problem. */
const SENTENCES: Readonly<Record<string, string>> = {
  "Field required": "is required",
  "Extra inputs are not permitted": "is not a field of this request"
}

/** `Input should be a number` becomes `should be a number`. */
const SUBJECT = /^(?:Decimal input|Input|String|List) should /

/** The part about parsing is of no use to a person. */
const PARSING = /, (?:unable to parse|unable to interpret|got a number) /

/** `Value error, os "x" is not available` becomes `"x" is not available`. */
const withoutField = (text: string, field: string): string =>
  text.startsWith(`${field} `) ? text.slice(field.length + 1) : text

/** The message of an issue about a field. */
const plainProblem = (message: string, field: string): string =>
  SENTENCES[message] ?? withoutField(
    message.replace(/^Value error, /, "").replace(SUBJECT, "should ").split(PARSING, 1)[0]!
      .replace("a valid integer", "a whole number"),
    field
  )

/** Everything a command can fail with. */
export type Failure = CommandError | VpsError

const exitCodeOf = (error: Failure): ExitCode => {
  if (error instanceof CommandError) return error.exit
  if (error instanceof NotFoundError) return EXIT.notFound
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return EXIT.auth
  if (error instanceof PaymentRequiredError) return EXIT.insufficientFunds
  if (error instanceof WaitTimeoutError) return EXIT.timeout
  if (error instanceof ArgumentError || error instanceof ConfigurationError) return EXIT.usage
  return EXIT.failed
}

const MILLIS = 1_000

/** An error below it is a redirect. */
const HTTP_BAD_REQUEST = 400

const isServerError = (status: number): boolean => status >= 500

export const TOP_UP_HINT = "Top up your wallet, then run the same command again. How to pay is shown by: vps account"

/** The origin of the key that was sent: `VPS_API_KEY`, unless it is the key of a context. */
export interface KeyOrigin {
  readonly context: string | undefined
}

/** Says which key was refused, and how to replace it. */
const keyHint = (wanted: string, origin: KeyOrigin | undefined): string => {
  if (origin === undefined) return `Log in with ${wanted}: vps login`
  const { context } = origin
  return context === undefined
    ? `The key is from VPS_API_KEY. Set it to ${wanted}, or unset it to use a saved context.`
    : `The key is from context "${context}". Log in with ${wanted}: vps login --context ${context}`
}

const apiHint = (error: ApiError, origin: KeyOrigin | undefined): string | undefined => {
  if (error instanceof UnauthorizedError) return keyHint("a valid key", origin)
  if (error instanceof ForbiddenError) {
    const scope = error.missingScope === undefined ? "that scope" : `the ${error.missingScope} scope`
    return keyHint(`a key that has ${scope}`, origin)
  }
  if (error instanceof PaymentRequiredError) return TOP_UP_HINT
  if (error.retryAfter !== undefined) return `Try again in ${error.retryAfter} s.`
  if (error.status < HTTP_BAD_REQUEST) return "Set VPS_BASE_URL, or log in again: vps login --base-url <url>"
  if (isServerError(error.status)) return "The service has a problem. Try again shortly."
  return undefined
}

/** A purchase that was made, or may have been, must be resumed and never repeated. */
const purchaseHint = (error: VpsError): string | undefined => {
  const { idempotencyKey, instanceId } = error
  const key = idempotencyKey === undefined ? "" : ` (idempotency key ${idempotencyKey})`
  if (error instanceof WaitTimeoutError) {
    const work = idempotencyKey === undefined ? "The operation" : "Provisioning"
    return `${work} continues${key}. To keep waiting: vps instance wait ${instanceId}`
  }
  if (idempotencyKey === undefined) return undefined
  if (instanceId !== undefined) return `Instance ${instanceId} was bought${key}. See it: vps instance get ${instanceId}`
  // A rejected request changed nothing. Only a lost or failed response leaves the outcome unknown.
  const outcomeUnknown = !(error instanceof ApiError) || isServerError(error.status) || error instanceof RateLimitError
  return outcomeUnknown ? resumeHint(idempotencyKey) : undefined
}

/** The hint for a purchase whose outcome is unknown. */
export const resumeHint = (key: string): string =>
  `Run the same command with --idempotency-key ${key} to resume. It never buys twice.`

const hintOf = (error: Failure, origin: KeyOrigin | undefined): string | undefined => {
  if (error instanceof CommandError) return error.hint
  const purchase = purchaseHint(error)
  if (purchase !== undefined) return purchase
  if (error instanceof ApiError) return apiHint(error, origin)
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return "Check the base URL (\"vps context list\" shows it) and your network."
  }
  return undefined
}

/** `hostname` for an issue at `["body", "hostname"]`. */
const fieldOf = ({ loc }: ValidationIssue): string => loc.slice(1).join(".") || loc.join(".")

/** The same issue in plain words. */
const plainIssue = (issue: ValidationIssue): ValidationIssue => ({
  ...issue,
  msg: plainProblem(issue.msg, fieldOf(issue))
})

/** The message of the service, without the method and path, which the user did not type. */
const messageOf = (error: Failure): string => {
  if (error instanceof ValidationError && error.issues.length > 0) {
    return error.issues.map(plainIssue).map((issue) => `${fieldOf(issue)}: ${issue.msg}`).join("\n")
  }
  if (error instanceof WaitTimeoutError) {
    const status = error.instance === undefined ? "" : ` (status ${error.instance.status})`
    return `Instance ${error.instanceId} was not ready after ${error.waitTimeout / MILLIS} s${status}.`
  }
  return error instanceof ApiError ? error.detail : error.message
}

/** A failure as the command reports it. */
export interface FailureReport {
  readonly exit: ExitCode
  /** For people. */
  readonly text: string
  /** For programs: `{ error: { ... } }`. */
  readonly error: object
  /** The same as a JSON document. */
  readonly document: string
}

interface ReportOptions {
  readonly origin?: KeyOrigin | undefined
  /** Precedes the message for people. */
  readonly subject?: string
}

export const reportFailure = (
  error: Failure,
  capabilities: Pick<TerminalCapabilities, "colors">,
  { origin, subject = "" }: ReportOptions = {}
): FailureReport => {
  const exit = exitCodeOf(error)
  const message = messageOf(error)
  const hint = hintOf(error, origin)
  const requestId = error instanceof CommandError ? undefined : error.requestId
  const lines = [
    ...message.split("\n").map((line) => sanitize(subject + line)),
    ...(hint === undefined ? [] : [sanitize(hint)]),
    ...(requestId === undefined ? [] : [paint(capabilities, "dim", `Request ID: ${sanitize(requestId)}`)])
  ]
  const text = lines.map((line) => `${paint(capabilities, "red", "vps:")} ${line}\n`).join("")
  const plain = error instanceof ValidationError && error.issues.length > 0
    ? { detail: message, issues: error.issues.map(plainIssue) }
    : {}
  const details = error instanceof CommandError
    ? {}
    : jsonFields({ ...error.toJSON(), ...plain, request_id: requestId })
  const document = { error: { name: error._tag, message, hint, exit_code: exit, ...details } }
  return { exit, text, error: document, document: `${json(document)}\n` }
}

/** Field names as in the API. */
const RENAMED: Readonly<Record<string, string>> = {
  responseLost: "answer_lost",
  idempotencyKey: "idempotency_key",
  instanceId: "instance_id",
  missingScope: "missing_scope",
  retryAfter: "retry_after",
  staleConnection: "stale_connection",
  waitTimeout: "wait_timeout_ms"
}
const DROPPED = new Set(["_tag", "name", "requestId", "message"])

const jsonFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !DROPPED.has(name))
      .map(([name, value]) => [RENAMED[name] ?? name, value])
  )
