/** The bearer key, and what every authenticated endpoint can answer besides its own errors. */
import * as Context from "effect/Context"
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
import type { Scope } from "./Scope.ts"

/** Who is asking: the key that was presented and the account it belongs to. */
export class Principal extends Context.Service<Principal, {
  readonly accountId: number
  readonly keyId: number
  /** As granted, not expanded. */
  readonly scopes: ReadonlyArray<Scope>
}>()("pulumi-vps/contract/Principal") {}

/** Turns a request that does not fit the contract into a 422. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()(
  "pulumi-vps/contract/RequestValidation",
  { error: ValidationError }
) {}

/** Runs before the body is read: 401, then 429, then 403. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Principal }>()(
  "pulumi-vps/contract/Authorization",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [Unauthorized, Forbidden, TooManyRequests, InternalServerError, ServiceUnavailable]
  }
) {}
