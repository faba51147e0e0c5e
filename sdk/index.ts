/** `pulumi-vps`: the Promise client of the VPS service. */
export type { ServiceInfo, Whoami } from "#contract/Account"
export type { ActionResult, CreateInstance, DryRun, HostnameResult, Instance, RdnsResult } from "#contract/Instance"
export type { Task, TaskPage } from "#contract/Monitoring"
export type { OsOptions, PublicPlan } from "#contract/Services"
export type { AnyApiError, ValidationIssue } from "./client/ApiErrors.ts"
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
} from "./client/ApiErrors.ts"
export type { CallPromise } from "./client/CallPromise.ts"
export {
  AbortError,
  ArgumentError,
  CallbackError,
  ConfigurationError,
  ConnectionError,
  DecodeError,
  ProvisioningFailedError,
  TimeoutError,
  VpsError,
  WaitTimeoutError
} from "./client/Errors.ts"
export type {
  CallOptions,
  ClientOptions,
  CreateAndWaitOptions,
  CreateOptions,
  TasksQuery,
  WaitOptions,
  WaitProgress
} from "./client/Options.ts"
export type { Answer } from "./client/Request.ts"
export { Vps } from "./client/Vps.ts"
