/** What a step of the chain takes and gives, and what can go wrong on the way. */
import type * as Effect from "effect/Effect"
import type { AnyApiError } from "../errors/ApiErrors.ts"
import type {
  AbortError,
  ArgumentError,
  ConfigurationError,
  ConnectionError,
  DecodeError,
  TimeoutError
} from "../errors/Errors.ts"
import type { ApiResponse, Request } from "./Request.ts"

/** What any call can fail with. */
export type CallFailure =
  | AnyApiError
  | ConnectionError
  | TimeoutError
  | AbortError
  | DecodeError
  | ConfigurationError
  | ArgumentError

export type Handler = (request: Request) => Effect.Effect<ApiResponse<unknown>, CallFailure>
