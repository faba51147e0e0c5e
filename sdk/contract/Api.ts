/** The whole API: 30 endpoints under `/api/v1`. The service implements it; the SDK and OpenAPI derive from it. */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  Forbidden,
  InternalServerError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  ValidationError
} from "./Errors.ts"
import { Account } from "./Account.ts"
import { Backups } from "./Backups.ts"
import { Instances } from "./Instances.ts"
import { Isos } from "./Isos.ts"
import { Monitoring } from "./Monitoring.ts"
import { Power } from "./Power.ts"
import { Rescue } from "./Rescue.ts"
import { Services } from "./Services.ts"
import { Snapshots } from "./Snapshots.ts"

/** Rejects a request that does not match the contract with a 422. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()(
  "@pulumi-vps/contract/RequestValidation",
  { error: ValidationError }
) {}

/** Runs before the body is read: 401, then 429, then 403. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@pulumi-vps/contract/Authorization",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [Unauthorized, Forbidden, TooManyRequests, InternalServerError, ServiceUnavailable]
  }
) {}

/** The version of the API description. It changes with the contract, not with the package. */
export const API_VERSION = "1.0.0"

/** The prefix of every path. */
export const API_PREFIX = "/api/v1"

// The middleware declares the errors common to all endpoints. The service applies it in reverse order.
export class Api extends HttpApi.make("vps")
  .add(Account, Services, Instances, Monitoring, Power, Snapshots, Backups, Isos, Rescue)
  .middleware(RequestValidation)
  .middleware(Authorization)
  .prefix(API_PREFIX)
  // All errors of a part are reported at once. Unknown properties of a body and unknown query parameters are errors: a
  // mistyped `dry_run` must not buy. Unknown headers are not.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(OpenApi.Title, "VPS instance management")
  .annotate(OpenApi.Version, API_VERSION)
  .annotate(
    OpenApi.Description,
    "Buy and manage virtual private servers. Every create is charged once per Idempotency-Key. "
      + "A query parameter that an endpoint does not list is an error (422), so a mistyped `dry_run` buys nothing."
  )
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
{}
