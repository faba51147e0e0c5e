/** The errors a call can fail with, as types: the Effect client has them in its error channel. */
import type { AnyApiError } from "./ApiErrors.ts"
import type {
  AbortError,
  ArgumentError,
  CallbackError,
  ConfigurationError,
  ConnectionError,
  DecodeError,
  IdempotencyMismatchError,
  ProvisioningFailedError,
  TimeoutError,
  WaitTimeoutError
} from "./Errors.ts"

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
