/** How each reason of the domain is shown on the wire: the one, total mapping. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { API_PREFIX } from "#contract/Api"
import type { ValidationItem } from "#contract/Errors"
import type * as Domain from "../domain/Errors.ts"
import { asText, toAmount } from "../domain/Money.ts"
import type { LimitValues } from "../config/Limits.ts"
import { tooManyRequests } from "./middleware/RateLimitHeaders.ts"
import { invalidField } from "./decoding/ValidationErrors.ts"

/** Why something cannot be bought, also a resize. */
type OrderError =
  | Domain.PlanNotFound
  | Domain.PlanNotOrderable
  | Domain.CurrencyMismatch
  | Domain.InvalidField
  | Domain.CouponRejected
  | Domain.CreateLimitExceeded
  | Domain.IdempotencyMismatch
  | Domain.CreateInProgress
  | Domain.InsufficientFunds

/** Every reason a use case can give. */
export type UseCaseError =
  | OrderError
  | Domain.InstanceNotFound
  | Domain.InstanceBusy
  | Domain.InvalidState
  | Domain.NotForCategory
  | Domain.OtherDataCentre
  | Domain.CurrentPlan
  | Domain.PartNotFound
  | Domain.NotRestorable
  | Domain.SnapshotQuotaReached
  | Domain.UpstreamFailed
  | Domain.StorageUnavailable

type Headers = Readonly<Record<string, string>>

/** An ordinary error: `{"detail": "..."}`. */
export const errorResponse = (
  status: number,
  detail: string,
  headers?: Headers
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ detail }, { status, ...(headers === undefined ? {} : { headers }) })

/** A validation error: `{"detail": [...]}`. */
export const validationErrorResponse = (
  items: ReadonlyArray<ValidationItem>,
  headers?: Headers
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ detail: items }, { status: 422, ...(headers === undefined ? {} : { headers }) })

const planNotFound = ({ outOfStock, planId }: Domain.PlanNotFound): string =>
  outOfStock
    ? `Plan ${planId} is out of stock: choose another from GET /services, or try again later.`
    : `Plan ${planId} does not exist or is no longer sold: choose one from GET /services.`

const insufficient = ({ charge, currency, wallet }: Domain.InsufficientFunds): string => {
  const [holds, costs] = [wallet, charge].map((minor) => asText(toAmount(minor)))
  return `The wallet holds ${holds} ${currency}; this costs ${costs} ${currency}. Top it up and try again.`
}

/** The setting `strict`: what the key bought is named, the body is not looked at. */
const otherBody = ({ fields, instanceId }: Domain.IdempotencyMismatch) =>
  validationErrorResponse([
    {
      loc: ["header", "Idempotency-Key"],
      msg: `Value error, this key has bought instance ${instanceId} with another body (${fields.join(", ")})`,
      type: "value_error"
    }
  ], { location: `${API_PREFIX}/instances/${instanceId}` })

/** Why something cannot be bought. */
const respondToOrder = (refusal: OrderError, limits: LimitValues): HttpServerResponse.HttpServerResponse => {
  switch (refusal._tag) {
    case "PlanNotFound":
      return errorResponse(404, planNotFound(refusal))
    case "PlanNotOrderable":
      return errorResponse(
        400,
        `Plan ${refusal.planId} is of category ${refusal.category}: only vps and dedicated plans can be ordered here.`
      )
    case "CurrencyMismatch":
      return errorResponse(400, `This plan is sold in ${refusal.plan}; the wallet holds ${refusal.wallet}.`)
    case "InvalidField":
      return validationErrorResponse([invalidField(refusal.field, refusal.problem)])
    case "CouponRejected":
      return errorResponse(400, refusal.problem)
    case "CreateLimitExceeded":
      return tooManyRequests("creates", refusal.standings)
    case "IdempotencyMismatch":
      return otherBody(refusal)
    case "CreateInProgress":
      return errorResponse(409, "A create with this Idempotency-Key is still being carried out; retry shortly.", {
        "retry-after": String(limits.IN_PROGRESS_RETRY_AFTER_SECONDS)
      })
    case "InsufficientFunds":
      return errorResponse(402, insufficient(refusal))
  }
}

const notForCategory = ({ category }: Domain.NotForCategory): string =>
  `This is for virtual machines (vps) only; the category here is ${category}, which has no snapshots, backups or `
  + "other sizes."

/**
 * 503 says that nothing was done, and clients repeat what may not be done twice. That is not known when the answer to a
 * commit was lost: then only a create is safe to repeat, by its key.
 */
const unavailable = (
  { inDoubt, message }: Domain.StorageUnavailable,
  { DATABASE_RETRY_AFTER_SECONDS }: LimitValues
): HttpServerResponse.HttpServerResponse => {
  if (inDoubt !== true) {
    return errorResponse(503, `${message} Nothing was kept; retry shortly.`, {
      "retry-after": String(DATABASE_RETRY_AFTER_SECONDS)
    })
  }
  const known = "Whether this was kept is not known: look, or repeat a create with the same Idempotency-Key."
  return errorResponse(504, `${message} ${known}`)
}

/** Each reason with its status and its words. */
export const toErrorResponse = (refusal: UseCaseError, limits: LimitValues): HttpServerResponse.HttpServerResponse => {
  switch (refusal._tag) {
    case "InstanceNotFound":
      return errorResponse(404, "Instance not found.")
    case "PlanNotFound":
    case "PlanNotOrderable":
    case "CurrencyMismatch":
    case "InvalidField":
    case "CouponRejected":
    case "CreateLimitExceeded":
    case "IdempotencyMismatch":
    case "CreateInProgress":
    case "InsufficientFunds":
      return respondToOrder(refusal, limits)
    case "InstanceBusy":
      return errorResponse(409, `The server is busy with another task (${refusal.taskType}); retry shortly.`, {
        "retry-after": String(limits.BUSY_RETRY_AFTER_SECONDS)
      })
    case "InvalidState":
      return errorResponse(409, `An instance that is ${refusal.status} cannot do this (${refusal.operation}).`)
    case "NotForCategory":
      return errorResponse(400, notForCategory(refusal))
    case "OtherDataCentre":
      return errorResponse(
        400,
        `Plan ${refusal.planId} is in another data centre: choose one from GET /instances/{id}/available-plans.`
      )
    case "CurrentPlan":
      return errorResponse(409, `Plan ${refusal.planId} is the plan that the instance has.`)
    case "PartNotFound":
      return errorResponse(404, `${refusal.part} not found.`)
    case "NotRestorable":
      return errorResponse(
        409,
        `${refusal.part} ${refusal.id} is ${refusal.status}: only one that is available can be restored.`
      )
    case "SnapshotQuotaReached":
      return errorResponse(409, `The instance has ${refusal.quota} snapshots, which is the most: delete one first.`)
    case "UpstreamFailed":
      return errorResponse(
        502,
        `The upstream could not carry out ${refusal.operation}: ${refusal.reason}. Nothing was changed; retry shortly.`
      )
    case "StorageUnavailable":
      return unavailable(refusal, limits)
  }
}
