/**
 * The errors of a call that are not error responses. `instanceof` works, and so does `_tag` with Effect's `catchTag`.
 * No message ever contains an API key or a password.
 */
import type { Instance } from "../Records.ts"

/** The details of a failed call. */
export interface ErrorContext {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly attempts?: number | undefined
  readonly requestId?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly staleConnection?: boolean | undefined
  readonly cause?: unknown
}

/** The base class of all errors of this client. */
export abstract class VpsError extends Error {
  abstract readonly _tag: string
  /** `GET`, `POST`, ...; `undefined` if the error belongs to no request. */
  readonly method: string | undefined
  /** Below the base URL, for example `/instances/7`. */
  readonly path: string | undefined
  /** The number of attempts, including the first one. 0 if there was none. */
  readonly attempts: number
  /** The `X-Request-Id` of the last response. Include it when you contact support. */
  readonly requestId: string | undefined
  /** The idempotency key of the purchase: the same create with the same key never buys twice. */
  readonly idempotencyKey: string | undefined
  /** The instance whose wait failed. `waitUntilDeployed` continues the wait. */
  readonly instanceId: number | undefined = undefined
  /** The instance at the last poll, if a wait failed. */
  declare readonly instance: Instance | undefined

  constructor(message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause })
    this.method = context.method
    this.path = context.path
    this.attempts = context.attempts ?? 0
    this.requestId = context.requestId
    this.idempotencyKey = context.idempotencyKey
  }

  /** Safe to log: the fields, the message, and the message of the cause. */
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

/** A setting of the client is missing or invalid. Nothing was sent. */
export class ConfigurationError extends VpsError {
  static {
    this.prototype.name = "ConfigurationError"
  }
  readonly _tag = "ConfigurationError"
}

/** An argument of the call is invalid. Nothing was sent. */
export class ArgumentError extends VpsError {
  static {
    this.prototype.name = "ArgumentError"
  }
  readonly _tag = "ArgumentError"
}

const LOST = "the response was lost, so the request may have been processed"

/** Describes the outcome of a call without a response, and what to do about it. */
const outcome = (responseLost: boolean, context: ErrorContext): string => {
  if (!responseLost) return "nothing was sent"
  if (context.idempotencyKey === undefined) return context.method === "GET" ? "the response was lost" : LOST
  return `${LOST}; retry with idempotency key ${context.idempotencyKey}, which never buys twice`
}

/** The connection failed before the whole response arrived. */
export class ConnectionError extends VpsError {
  static {
    this.prototype.name = "ConnectionError"
  }
  readonly _tag = "ConnectionError"
  /** Node's or undici's code, for example `ECONNREFUSED`. */
  readonly code: string | undefined
  /** `true`: a request was sent but no response arrived, so it may have been processed. */
  readonly responseLost: boolean
  /** `true`: a kept-alive connection was closed before the response began, as when a server restarts. */
  readonly staleConnection: boolean
  constructor(reason: string, code: string | undefined, responseLost: boolean, context: ErrorContext) {
    const what = code === undefined || reason.includes(code) ? reason : `${reason} (${code})`
    super(describe(subjectOf(context), `${what}; ${outcome(responseLost, context)}`, context), context)
    this.code = code
    this.responseLost = responseLost
    this.staleConnection = context.staleConnection === true
  }
}

/** An attempt took longer than `timeout`. */
export class TimeoutError extends VpsError {
  static {
    this.prototype.name = "TimeoutError"
  }
  readonly _tag = "TimeoutError"
  /** The timeout of the attempt in milliseconds. */
  readonly timeout: number
  /** `true`: a request was sent but no response arrived, so it may have been processed. */
  readonly responseLost: boolean
  constructor(timeout: number, responseLost: boolean, context: ErrorContext) {
    const text = `no response within ${timeout} ms; ${outcome(responseLost, context)}`
    super(describe(subjectOf(context), text, context), context)
    this.timeout = timeout
    this.responseLost = responseLost
  }
}

/** The caller's `signal` aborted the call. The signal's reason is the `cause`. */
export class AbortError extends VpsError {
  static {
    this.prototype.name = "AbortError"
  }
  readonly _tag = "AbortError"
  /** `true`: a request was sent but no response arrived, so it may have been processed. */
  readonly responseLost: boolean
  constructor(responseLost: boolean, context: ErrorContext) {
    super(describe(subjectOf(context), `aborted; ${outcome(responseLost, context)}`, context), context)
    this.responseLost = responseLost
  }
}

/** The idempotency key has bought an instance with another order. Nothing was bought. `instance` is the original. */
export class IdempotencyMismatchError extends VpsError {
  static {
    this.prototype.name = "IdempotencyMismatchError"
  }
  readonly _tag = "IdempotencyMismatchError"
  /** The fields in which the orders differ, as the API names them. */
  readonly fields: ReadonlyArray<string>
  constructor(instance: Instance, fields: ReadonlyArray<string>, context: ErrorContext) {
    const bought = `idempotency key ${context.idempotencyKey} has already bought instance ${instance.id}`
    const text =
      `${bought} with another order (${fields.join(", ")}). Nothing was bought. Use a new key to buy another `
      + "instance"
    super(describe(subjectOf(context), text, context), context)
    this.fields = fields
    withInstance(this, instance.id, instance)
  }
}

/** The server reported success, but the body is not what the operation returns. */
export class DecodeError extends VpsError {
  static {
    this.prototype.name = "DecodeError"
  }
  readonly _tag = "DecodeError"
  readonly status: number
  /** The invalid field with `decode: "strict"`, for example `[0].order.service.price`. */
  readonly field: string | undefined
  constructor(status: number, problem: string, context: ErrorContext, field?: string) {
    super(describe(`${status} ${subjectOf(context)}`, problem, context), context)
    this.status = status
    this.field = field
  }
}

/** The details of a wait that timed out. */
export interface WaitContext {
  readonly id: number
  /** `deployed`, `idle`, ... */
  readonly target: string
  /** The call that continues the wait. */
  readonly resume: string
  /** The status at the last poll. */
  readonly status: string
  readonly waitTimeout: number
}

/** The instance did not reach the state within `waitTimeout`. The operation itself, such as a purchase, continues. */
export class WaitTimeoutError extends VpsError {
  static {
    this.prototype.name = "WaitTimeoutError"
  }
  readonly _tag = "WaitTimeoutError"
  /** The timeout of the wait in milliseconds. */
  readonly waitTimeout: number
  constructor({ id, resume, status, target, waitTimeout }: WaitContext, context: ErrorContext) {
    const outcome = `Instance ${id} was not ${target} within ${waitTimeout} ms (status ${status})`
    super(`${outcome}. To keep waiting, call ${resume}(${id}).`, context)
    this.waitTimeout = waitTimeout
  }
}

/** The instance can no longer be deployed: provisioning failed, or it is deleted. */
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
        ? `Provisioning of instance ${id} failed and the charge was refunded. Use a new idempotency key to buy another.`
        : `Instance ${id} is ${status}. Use a new idempotency key to buy another.`,
      context
    )
    this.status = status
  }
}

/** A callback threw: `onProgress`, or the condition of a wait. The exception is the `cause`. */
export class CallbackError extends VpsError {
  static {
    this.prototype.name = "CallbackError"
  }
  readonly _tag = "CallbackError"
}

/** Adds the instance of a wait to the error that ended it. Mutates the error: only this call holds it. */
export const withInstance = <E extends VpsError>(
  error: E,
  instanceId: number,
  instance?: Instance,
  key?: string
): E => {
  // Not enumerable, so that log lines do not contain a whole instance with its order and plan.
  if (instance !== undefined) Object.defineProperty(error, "instance", { value: instance, configurable: true })
  return Object.assign(error, { instanceId, ...(key === undefined ? {} : { idempotencyKey: key }) })
}
