/** The records, options and errors of both clients. */
export type { AnyApiError, ValidationIssue } from "./client/errors/ApiErrors.ts"
export {
  ApiError,
  BadGatewayError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedStatusError,
  ValidationError
} from "./client/errors/ApiErrors.ts"
export {
  AbortError,
  ArgumentError,
  CallbackError,
  ConfigurationError,
  ConnectionError,
  DecodeError,
  IdempotencyMismatchError,
  ProvisioningFailedError,
  TimeoutError,
  VpsError,
  WaitTimeoutError
} from "./client/errors/Errors.ts"
export type { AttemptEvent, Hooks, Logger, ResponseEvent, RetryEvent } from "./client/options/Options.ts"
export type {
  BulkCreateOptions,
  BulkOptions,
  CallOptions,
  ChargeOptions,
  ClientOptions,
  CreateAndWaitOptions,
  CreateOptions,
  FetchInit,
  FetchLike,
  FetchResponse,
  IdleProgress,
  IdleSign,
  MaxCharge,
  MetricsQuery,
  RequestDispatcher,
  TasksIteration,
  TasksQuery,
  WaitOptions,
  WaitProgress,
  WaitStep
} from "./client/options/Options.ts"
export type { ApiResponse } from "./client/chain/ApiResponse.ts"
export type * from "./client/Records.ts"
export type { View } from "./client/host/View.ts"
export type * from "./client/Results.ts"
