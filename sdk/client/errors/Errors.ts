/**
 * What a call can fail with: one class per status, and one per way of not getting an answer.
 * `instanceof` works for people, `_tag` for Effect's `catchTag`; no message ever holds an API key or a password.
 */
import type { Instance } from "#contract/Instance"

/** What is known about the call that failed. */
export interface ErrorContext {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly attempts?: number | undefined
  readonly requestId?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/** The base of everything this client fails with. */
export abstract class VpsError extends Error {
  abstract readonly _tag: string
  /** `GET`, `POST`, ...; `undefined` when no request belongs to the error. */
  readonly method: string | undefined
  /** Below the base URL, for example `/instances/7`. */
  readonly path: string | undefined
  /** Requests that were tried, the first one included; 0 when none was. */
  readonly attempts: number
  /** The host's `X-Request-Id` of the last answer: what its support asks for. */
  readonly requestId: string | undefined
  /** The key of the purchase: the same create with the same key never buys twice. */
  readonly idempotencyKey: string | undefined
  /** The instance that was bought, when a wait for it failed: go on with `waitUntilDeployed`. */
  readonly instanceId: number | undefined = undefined
  /** As last seen, when a wait failed. */
  declare readonly instance: Instance | undefined

  constructor(message: string, context: ErrorContext) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause })
    this.method = context.method
    this.path = context.path
    this.attempts = context.attempts ?? 0
    this.requestId = context.requestId
    this.idempotencyKey = context.idempotencyKey
  }

  /** Safe to log: the fields and the message, and of the cause its message only. */
  toJSON(): Record<string, unknown> {
    const fields: Record<string, unknown> = { ...(this as object), name: this.name, message: this.message }
    if (this.cause instanceof Error) fields["cause"] = this.cause.message
    return fields
  }
}

/** `402 POST /instances: detail (request id 4f2a, attempts 2)` */
export const describe = (subject: string, text: string, context: ErrorContext): string => {
  const notes = [
    context.requestId === undefined ? "" : `request id ${context.requestId}`,
    (context.attempts ?? 0) > 1 ? `attempts ${context.attempts}` : ""
  ].filter((note) => note !== "")
  return `${subject}: ${text}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`
}

const subjectOf = (context: ErrorContext): string => `${context.method} ${context.path}`

/** A setting of the client is missing or wrong; nothing was sent. */
export class ConfigurationError extends VpsError {
  static {
    this.prototype.name = "ConfigurationError"
  }
  readonly _tag = "ConfigurationError"
  constructor(message: string, context: ErrorContext = {}) {
    super(message, context)
  }
}

/** An argument of the call is wrong; nothing was sent. */
export class ArgumentError extends VpsError {
  static {
    this.prototype.name = "ArgumentError"
  }
  readonly _tag = "ArgumentError"
  constructor(message: string, context: ErrorContext = {}) {
    super(message, context)
  }
}

const LOST = "the answer was lost, so it may have been carried out"

/** What to do about a call whose answer never came. */
const outcome = (responseLost: boolean, context: ErrorContext): string => {
  if (!responseLost) return "nothing was sent"
  if (context.idempotencyKey === undefined) return context.method === "GET" ? "the answer was lost" : LOST
  return `${LOST}; repeating it with idempotency key ${context.idempotencyKey} never buys twice`
}

/** The connection failed before a whole answer had come. */
export class ConnectionError extends VpsError {
  static {
    this.prototype.name = "ConnectionError"
  }
  readonly _tag = "ConnectionError"
  /** Node's or undici's code, for example `ECONNREFUSED`. */
  readonly code: string | undefined
  /** `true`: a request was sent and not answered, so it may have been carried out. */
  readonly responseLost: boolean
  constructor(reason: string, code: string | undefined, responseLost: boolean, context: ErrorContext) {
    const what = code === undefined || reason.includes(code) ? reason : `${reason} (${code})`
    super(describe(subjectOf(context), `${what}; ${outcome(responseLost, context)}`, context), context)
    this.code = code
    this.responseLost = responseLost
  }
}

/** An attempt took longer than `timeout`. */
export class TimeoutError extends VpsError {
  static {
    this.prototype.name = "TimeoutError"
  }
  readonly _tag = "TimeoutError"
  /** Milliseconds an attempt was given. */
  readonly timeout: number
  /** `true`: a request was sent and not answered, so it may have been carried out. */
  readonly responseLost: boolean
  constructor(timeout: number, responseLost: boolean, context: ErrorContext) {
    const text = `no answer within ${timeout} ms; ${outcome(responseLost, context)}`
    super(describe(subjectOf(context), text, context), context)
    this.timeout = timeout
    this.responseLost = responseLost
  }
}

/** The caller's `signal` ended the call; its reason is the `cause`. */
export class AbortError extends VpsError {
  static {
    this.prototype.name = "AbortError"
  }
  readonly _tag = "AbortError"
  /** `true`: a request was sent and not answered, so it may have been carried out. */
  readonly responseLost: boolean
  constructor(responseLost: boolean, context: ErrorContext) {
    super(describe(subjectOf(context), `aborted; ${outcome(responseLost, context)}`, context), context)
    this.responseLost = responseLost
  }
}

/** The host reported success with a body that is not what the operation answers. */
export class DecodeError extends VpsError {
  static {
    this.prototype.name = "DecodeError"
  }
  readonly _tag = "DecodeError"
  readonly status: number
  /** Of the answer, when one field of it is wrong (`decode: "strict"`): `[0].order.service.price`. */
  readonly field: string | undefined
  constructor(status: number, problem: string, context: ErrorContext, field?: string) {
    super(describe(`${status} ${subjectOf(context)}`, problem, context), context)
    this.status = status
    this.field = field
  }
}

/** What a wait was for. */
export interface WaitContext {
  readonly id: number
  /** `deployed`, `idle`, ... */
  readonly wanted: string
  /** The call that goes on waiting. */
  readonly resume: string
  /** As last seen. */
  readonly status: string
  readonly waitTimeout: number
}

/** The instance did not get there within `waitTimeout`. What was begun, a purchase for example, goes on. */
export class WaitTimeoutError extends VpsError {
  static {
    this.prototype.name = "WaitTimeoutError"
  }
  readonly _tag = "WaitTimeoutError"
  /** Milliseconds that were waited. */
  readonly waitTimeout: number
  constructor({ id, resume, status, waitTimeout, wanted }: WaitContext, context: ErrorContext) {
    const outcome = `Instance ${id} was not ${wanted} within ${waitTimeout} ms (status ${status})`
    super(`${outcome}; ${resume}(${id}) goes on waiting`, context)
    this.waitTimeout = waitTimeout
  }
}

/** The instance will never be deployed: provisioning failed, or it is deleted. */
export class ProvisioningFailedError extends VpsError {
  static {
    this.prototype.name = "ProvisioningFailedError"
  }
  readonly _tag = "ProvisioningFailedError"
  /** `failed` or `deleted`. */
  readonly status: string
  constructor(id: number, status: string, context: ErrorContext) {
    super(
      status === "failed"
        ? `Provisioning of instance ${id} failed and its charge was refunded; to buy another, use a new idempotency key`
        : `Instance ${id} is ${status}; its idempotency key is used up, to buy another, use a new one`,
      context
    )
    this.status = status
  }
}

/** A function of the caller's threw: `onProgress`, or the condition of a wait. What it threw is the `cause`. */
export class CallbackError extends VpsError {
  static {
    this.prototype.name = "CallbackError"
  }
  readonly _tag = "CallbackError"
}

/** Puts onto an error what the wait that it ended was for. The error was made by this call, so nobody else holds it. */
export const withInstance = <E extends VpsError>(
  error: E,
  instanceId: number,
  instance?: Instance,
  key?: string
): E => {
  // Not enumerable: a log line about an error should not print a whole instance with its order and plan.
  if (instance !== undefined) Object.defineProperty(error, "instance", { value: instance, configurable: true })
  return Object.assign(error, { instanceId, ...(key === undefined ? {} : { idempotencyKey: key }) })
}
