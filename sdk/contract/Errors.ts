/** One class per status, in wire form: `{"detail": ...}` and no other fields. */
import * as Schema from "effect/Schema"

const Detail = Schema.String.annotate({ description: "What is wrong and how to fix it" })

const fields = <Tag extends string>(tag: Tag) => ({ _tag: Schema.tagDefaultOmit(tag), detail: Detail })
const options = (httpApiStatus: number, description: string) => ({ httpApiStatus, description })

/** 400: the action is not valid for the instance's category, or the plan is not a VPS or dedicated plan. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(
  fields("BadRequest"),
  options(400, "The request is not valid for this plan, coupon or category")
) {}

/** 401: no key, or one that is invalid, revoked or expired. `WWW-Authenticate` follows RFC 6750. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  fields("Unauthorized"),
  options(401, "The API key is missing, invalid, revoked or expired")
) {}

/** 402: the wallet does not cover the charge. Nothing was charged. */
export class PaymentRequired extends Schema.Error<PaymentRequired>("PaymentRequired")(
  fields("PaymentRequired"),
  options(402, "The wallet balance is too low")
) {}

/** 403: the key lacks the scope that `detail` names, or the account is frozen. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  fields("Forbidden"),
  options(403, "The API key lacks the required scope, or the account is frozen")
) {}

/** 404: the resource does not exist, or belongs to another account. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(
  fields("NotFound"),
  options(404, "Not found, or not owned by the caller")
) {}

/** 409: busy (with `Retry-After`), wrong state, quota reached, or the current plan selected. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  fields("Conflict"),
  options(409, "The instance is busy (with Retry-After), in the wrong state, or a quota is reached")
) {}

/** 413: the body is larger than the service accepts. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  fields("PayloadTooLarge"),
  options(413, "The request body is too large")
) {}

/** One error in one part of a request. */
export const ValidationItem = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotate({
    description: "Location of the error: path, query, header or body, then the field"
  }),
  msg: Schema.String.annotate({ description: "Human-readable message" }),
  type: Schema.String.annotate({ description: "Machine-readable error type" })
}).annotate({ identifier: "ValidationItem" })
export type ValidationItem = typeof ValidationItem.Type

/** 422: a part of the request is missing or malformed; one item per error. */
export class ValidationError extends Schema.Error<ValidationError>("ValidationError")(
  { _tag: Schema.tagDefaultOmit("ValidationError"), detail: Schema.Array(ValidationItem) },
  options(422, "A field is missing or malformed")
) {}

/** 429: too many requests; `Retry-After` says when to retry. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(
  fields("TooManyRequests"),
  options(429, "A rate limit is exceeded")
) {}

/** 500: a bug in the service. */
export class InternalServerError extends Schema.Error<InternalServerError>("InternalServerError")(
  fields("InternalServerError"),
  options(500, "The service failed unexpectedly")
) {}

/** 502: an upstream provider operation failed. Safe to retry after a moment. */
export class BadGateway extends Schema.Error<BadGateway>("BadGateway")(
  fields("BadGateway"),
  options(502, "An upstream provider operation failed; safe to retry after a moment")
) {}

/** 503: a resource is temporarily unavailable. */
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(
  fields("ServiceUnavailable"),
  options(503, "Temporarily unavailable")
) {}

/** 504: the service lost the response of its database while it saved the change. */
export class GatewayTimeout extends Schema.Error<GatewayTimeout>("GatewayTimeout")(
  fields("GatewayTimeout"),
  options(504, "The outcome is unknown: check the resource first. A create is safe to retry with its Idempotency-Key")
) {}
