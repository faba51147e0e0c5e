/** The bearer key, and the errors common to all authenticated endpoints. */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import {
  Forbidden,
  InternalServerError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  ValidationError
} from "./Errors.ts"

/** Rejects a request that does not match the contract with a 422. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()(
  "pulumi-vps/contract/RequestValidation",
  { error: ValidationError }
) {}

/** Runs before the body is read: 401, then 429, then 403. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "pulumi-vps/contract/Authorization",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [Unauthorized, Forbidden, TooManyRequests, InternalServerError, ServiceUnavailable]
  }
) {}
