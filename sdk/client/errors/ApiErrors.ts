/** The errors that the server returns: one class per status. */
import {
  type AbortError,
  type ArgumentError,
  type CallbackError,
  type ConfigurationError,
  type ConnectionError,
  type DecodeError,
  describe,
  type ErrorContext,
  type IdempotencyMismatchError,
  type ProvisioningFailedError,
  type TimeoutError,
  VpsError,
  type WaitTimeoutError
} from "./Errors.ts"

/** One problem with one part of the request. */
export interface ValidationIssue {
  /** The location: `path`, `query`, `header` or `body`, then the field. */
  readonly loc: ReadonlyArray<string | number>
  /** The problem, for people. */
  readonly msg: string
  /** The kind of problem, for programs. */
  readonly type: string
}

/** The content of an error response. */
export interface ApiErrorFields extends ErrorContext {
  readonly status: number
  readonly detail: string
  readonly retryAfter: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly missingScope: string | undefined
  readonly issues: ReadonlyArray<ValidationIssue>
}

/** The server returned an error. */
export abstract class ApiError extends VpsError {
  readonly status: number
  /** The server's description of the problem and how to fix it. */
  readonly detail: string
  /** Seconds to wait before the next request, if the server sent `Retry-After`. */
  readonly retryAfter: number | undefined
  /** The response headers. Names are in lowercase. */
  declare readonly headers: Readonly<Record<string, string>>

  constructor(fields: ApiErrorFields) {
    super(describe(`${fields.status} ${fields.method} ${fields.path}`, fields.detail, fields), fields)
    this.status = fields.status
    this.detail = fields.detail
    this.retryAfter = fields.retryAfter
    // Not enumerable, so that log lines do not contain the headers.
    Object.defineProperty(this, "headers", { value: fields.headers })
  }
}

/** 400: not possible for this plan, coupon or category. */
export class BadRequestError extends ApiError {
  static {
    this.prototype.name = "BadRequestError"
  }
  readonly _tag = "BadRequestError"
}

/** 401: the API key is missing, invalid, revoked or expired. */
export class UnauthorizedError extends ApiError {
  static {
    this.prototype.name = "UnauthorizedError"
  }
  readonly _tag = "UnauthorizedError"
}

/** 402: the wallet does not cover the charge. Nothing was charged. */
export class PaymentRequiredError extends ApiError {
  static {
    this.prototype.name = "PaymentRequiredError"
  }
  readonly _tag = "PaymentRequiredError"
}

/** 403: the API key lacks a scope. */
export class ForbiddenError extends ApiError {
  static {
    this.prototype.name = "ForbiddenError"
  }
  readonly _tag = "ForbiddenError"
  /** For example `vps:create`; `undefined` if the server does not name it. */
  readonly missingScope: string | undefined
  constructor(fields: ApiErrorFields) {
    super(fields)
    this.missingScope = fields.missingScope
  }
}

/** 404: it does not exist, or it belongs to another account. */
export class NotFoundError extends ApiError {
  static {
    this.prototype.name = "NotFoundError"
  }
  readonly _tag = "NotFoundError"
}

/** 409: busy (with `retryAfter`), in the wrong state, at a limit, or already on that plan. */
export class ConflictError extends ApiError {
  static {
    this.prototype.name = "ConflictError"
  }
  readonly _tag = "ConflictError"
}

/** 422: parts of the request are missing or invalid. */
export class ValidationError extends ApiError {
  static {
    this.prototype.name = "ValidationError"
  }
  readonly _tag = "ValidationError"
  /** One per problem. Empty if the server returned only a sentence. */
  readonly issues: ReadonlyArray<ValidationIssue>
  constructor(fields: ApiErrorFields) {
    super(fields)
    this.issues = fields.issues
  }
}

/** 429: a rate limit is exceeded. */
export class RateLimitError extends ApiError {
  static {
    this.prototype.name = "RateLimitError"
  }
  readonly _tag = "RateLimitError"
}

/** 502: an upstream provider operation failed. */
export class BadGatewayError extends ApiError {
  static {
    this.prototype.name = "BadGatewayError"
  }
  readonly _tag = "BadGatewayError"
}

/** 503: temporarily unavailable. */
export class ServiceUnavailableError extends ApiError {
  static {
    this.prototype.name = "ServiceUnavailableError"
  }
  readonly _tag = "ServiceUnavailableError"
}

/** 500 and every other 5xx: the server failed. */
export class InternalServerError extends ApiError {
  static {
    this.prototype.name = "InternalServerError"
  }
  readonly _tag = "InternalServerError"
}

/** A status that the API does not use, for example a redirect by a proxy. */
export class UnexpectedStatusError extends ApiError {
  static {
    this.prototype.name = "UnexpectedStatusError"
  }
  readonly _tag = "UnexpectedStatusError"
}

const byStatus = new Map<number, new(fields: ApiErrorFields) => AnyApiError>([
  [400, BadRequestError],
  [401, UnauthorizedError],
  [402, PaymentRequiredError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [422, ValidationError],
  [429, RateLimitError],
  [502, BadGatewayError],
  [503, ServiceUnavailableError]
])

/** Any error that the server can return. */
export type AnyApiError =
  | BadRequestError
  | UnauthorizedError
  | PaymentRequiredError
  | ForbiddenError
  | NotFoundError
  | ConflictError
  | ValidationError
  | RateLimitError
  | BadGatewayError
  | ServiceUnavailableError
  | InternalServerError
  | UnexpectedStatusError

export const apiError = (fields: ApiErrorFields): AnyApiError => {
  const other = fields.status >= 500 ? InternalServerError : UnexpectedStatusError
  return new (byStatus.get(fields.status) ?? other)(fields)
}

// The errors a call can fail with, as types: the Effect client has them in its error channel.

/** Every error that a single request can fail with. */
export type CallFailure =
  | AnyApiError
  | ConnectionError
  | TimeoutError
  | AbortError
  | DecodeError
  | IdempotencyMismatchError
  | ConfigurationError
  | ArgumentError

/** Every error that a wait can fail with. */
export type WaitFailure = CallFailure | WaitTimeoutError | ProvisioningFailedError | CallbackError
