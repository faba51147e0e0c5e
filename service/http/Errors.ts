/** Maps each domain error to its HTTP response. This map is total: the compiler reports a missing error. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { API_PREFIX } from "@pulumi-vps/contract/Api"
import type { ValidationItem } from "@pulumi-vps/contract/Errors"
import type * as Domain from "../domain/Errors.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { deletionBegun } from "../domain/InstanceMachine.ts"
import { type HowToPay, paySentence } from "../domain/HowToPay.ts"
import { asText, toAmount } from "../domain/Money.ts"
import type { LimitValues } from "../config/Limits.ts"
import { tooManyRequests } from "./middleware/RateLimitHeaders.ts"
import { invalidField } from "./decoding/ValidationErrors.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

type DomainErrors = {
  [Name in keyof typeof Domain]: (typeof Domain)[Name] extends new(...args: never) => infer E ? E : never
}

/** Any error that a use case can fail with. */
export type UseCaseError = DomainErrors[keyof DomainErrors]

const json = (detail: unknown, status: number, headers: Headers = {}): Response =>
  HttpServerResponse.jsonUnsafe({ detail }, { status, headers })

/** An ordinary error: `{"detail": "..."}`. */
export const errorResponse = (status: number, detail: string, headers?: Headers): Response =>
  json(detail, status, headers)

/** A validation error: `{"detail": [...]}`. */
export const validationErrorResponse = (items: ReadonlyArray<ValidationItem>, headers?: Headers): Response =>
  json(items, 422, headers)

const retryAfter = (seconds: number): Headers => ({ "retry-after": String(seconds) })

const planNotFound = ({ outOfStock, planId }: Domain.PlanNotFound): string =>
  outOfStock
    ? `Plan ${planId} is out of stock. Choose another from GET /services, or try again later.`
    : `Plan ${planId} does not exist or is no longer sold. Choose one from GET /services.`

/** A page of the panel as a sentence's part; nothing if the panel has no public address. */
const at = (panelUrl: string, page: string): string =>
  panelUrl === "" ? "" : ` at ${new URL(panelUrl).origin}/panel/${page}`

/** The facts about the host that a response has, besides the error. */
export interface HostFacts {
  /** Empty if the panel has no public address. */
  readonly panelUrl: string
  /** Undefined if the host has not said how customers pay. */
  readonly howToPay: HowToPay | undefined
}

const NO_FACTS: HostFacts = { panelUrl: "", howToPay: undefined }

const insufficientFunds = (
  { accountId, charge, currency, wallet }: Domain.InsufficientFunds,
  { howToPay, panelUrl }: HostFacts
): string => {
  const [balance, price] = [Math.abs(wallet), charge].map((minor) => `${asText(toAmount(minor))} ${currency}`)
  const state = wallet < 0
    ? `the account owes ${balance}, because a payment was taken back, and this costs ${price}`
    : `the wallet holds ${balance}, but this costs ${price}`
  return `Insufficient funds: ${state}. Top it up and try again.`
    + (panelUrl === "" ? "" : ` Its statement is${at(panelUrl, "wallet")}.`)
    + paySentence(howToPay, { accountId, currency, missing: charge - wallet })
}

const chargeTooHigh = ({ charge, currency, max }: Domain.ChargeTooHigh): Response => {
  const [price, limit] = [
    `${asText(toAmount(charge))} ${currency}`,
    `${asText(toAmount(max.amount))} ${max.currency}`
  ]
  return errorResponse(
    409,
    `This costs ${price}, but at most ${limit} may be charged (VPS-Max-Charge). Nothing was charged. Check the price, `
      + "and repeat the request with a higher limit.",
    { "vps-charge": price }
  )
}

/** With the setting `strict`: names the instance that the key bought, and ignores the body. */
const idempotencyMismatch = ({ fields, instanceId }: Domain.IdempotencyMismatch) => {
  const body = `a different body (${fields.join(", ")})`
  const msg = `Value error, this key was already used to buy instance ${instanceId} with ${body}`
  const item = { loc: ["header", "Idempotency-Key"], msg, type: "value_error" }
  return validationErrorResponse([item], { location: `${API_PREFIX}/instances/${instanceId}` })
}

/**
 * A 503 says that nothing was done, and clients retry even requests that must not be executed twice. If the response to
 * a commit was lost, the outcome is unknown: then only a create is safe to retry, by its key.
 */
const storageUnavailable = ({ inDoubt, message }: Domain.StorageUnavailable, limits: LimitValues): Response =>
  inDoubt === true
    ? errorResponse(
      504,
      `${message} The outcome is unknown. Check the resource, or retry a create with the same Idempotency-Key.`
    )
    : errorResponse(
      503,
      `${message} No changes were saved. Retry shortly.`,
      retryAfter(limits.DATABASE_RETRY_AFTER_SECONDS)
    )

const upstreamFailed = ({ operation, outcome, reason }: Domain.UpstreamFailed): string => {
  if (outcome === "unchanged") {
    return `The upstream provider could not complete ${operation}: ${reason}. Nothing was changed. Retry shortly.`
  }
  const unconfirmed = `The upstream provider did not confirm ${operation}: ${reason}. The outcome is unknown.`
  return operation === "reset_password"
    ? `${unconfirmed} The old password may be invalid: repeat the request to get a new one.`
    : `${unconfirmed} Repeat the request.`
}

const renewable = (until: number | null, panelUrl: string): string =>
  until === null
    ? `Its automatic renewal is off: ${
      panelUrl === "" ? "ask support to turn it on" : `turn it on${at(panelUrl, "instances")}`
    }, and top up the wallet.`
    : `Top up the wallet before ${toTimestamp(until)} to renew it.`

/** By status. */
const REMEDIES: Readonly<Partial<Record<string, (error: Domain.InvalidState, panelUrl: string) => string>>> = {
  pending: () => "Wait until it is deployed.",
  rescue: () => "Leave rescue mode first: DELETE /instances/{id}/rescue.",
  suspended: ({ reason }) => `The reason of its suspension: ${reason}`,
  expired: ({ renewableUntil, terminating }, panelUrl) =>
    terminating
      ? `${deletionBegun()} Order a new instance.`
      : renewable(renewableUntil, panelUrl),
  failed: () => "Its deployment failed and was refunded. Order a new instance."
}

const invalidState = (error: Domain.InvalidState, panelUrl: string): string => {
  const { operation, status } = error
  const refusal = `The operation ${operation} is not allowed while the instance is ${status}.`
  return [refusal, REMEDIES[status]?.(error, panelUrl) ?? ""].join(" ").trimEnd()
}

const RESPONSES: {
  readonly [Name in keyof DomainErrors]: (error: DomainErrors[Name], limits: LimitValues, host: HostFacts) => Response
} = {
  InstanceNotFound: () => errorResponse(404, "Instance not found."),
  PlanNotFound: (error) => errorResponse(404, planNotFound(error)),
  PlanNotOrderable: ({ category, planId }) =>
    errorResponse(400, `Plan ${planId} has category ${category}. Only vps and dedicated plans can be ordered.`),
  CurrencyMismatch: ({ plan, wallet }) =>
    errorResponse(
      400,
      `This plan is priced in ${plan}, but the wallet holds ${wallet}. Choose a plan in ${wallet} from GET /services.`
    ),
  InvalidField: ({ field, problem }) => validationErrorResponse([invalidField(field, problem)]),
  ChargeTooHigh: chargeTooHigh,
  AccountClosed: ({ accountId }) => errorResponse(401, `Account ${accountId} is closed. Ask support to reopen it.`),
  AccountFrozen: ({ accountId, reason }) =>
    errorResponse(
      403,
      `Account ${accountId} is frozen, so it can buy nothing. The reason: ${reason}. Contact support to have it `
        + "released."
    ),
  CouponRejected: ({ problem }) => errorResponse(400, problem),
  CreateLimitExceeded: ({ standings }) => tooManyRequests("creates", standings),
  IdempotencyMismatch: idempotencyMismatch,
  CreateInProgress: (_, limits) =>
    errorResponse(
      409,
      "A create with this Idempotency-Key is still in progress. Retry shortly.",
      retryAfter(limits.IN_PROGRESS_RETRY_AFTER_SECONDS)
    ),
  InsufficientFunds: (error, _, host) => errorResponse(402, insufficientFunds(error, host)),
  InstanceBusy: ({ taskType }, limits) =>
    errorResponse(
      409,
      `The server is busy with another task (${taskType}); retry shortly.`,
      retryAfter(limits.BUSY_RETRY_AFTER_SECONDS)
    ),
  AwaitsApproval: () =>
    errorResponse(409, "The instance waits for the host's approval. Repeat the request when it is deployed."),
  InvalidState: (error, _, { panelUrl }) => errorResponse(409, invalidState(error, panelUrl)),
  NotForCategory: ({ category }) =>
    errorResponse(400, `Only vps instances have snapshots, backups and resizes. This is a ${category} instance.`),
  OtherCategory: ({ category, planId }) =>
    errorResponse(
      400,
      `Plan ${planId} has category ${category}. Choose one from GET /instances/{id}/available-plans.`
    ),
  OtherDataCenter: ({ planId }) =>
    errorResponse(
      400,
      `Plan ${planId} is in another data center. Choose one from GET /instances/{id}/available-plans.`
    ),
  CurrentPlan: ({ planId }) => errorResponse(409, `The instance is already on plan ${planId}.`),
  PartNotFound: ({ part }) => errorResponse(404, `${part} not found.`),
  NotRestorable: ({ id, part, status }) =>
    errorResponse(409, `${part} ${id} is ${status}. It must be available to be restored.`),
  SnapshotQuotaReached: ({ quota }) => errorResponse(409, `Snapshot limit reached (${quota}). Delete one first.`),
  UpstreamFailed: (error) => errorResponse(502, upstreamFailed(error)),
  StorageUnavailable: storageUnavailable
}

type Respond = (error: UseCaseError, limits: LimitValues, host: HostFacts) => Response

/** The response to a domain error, which names pages of the panel if that has a public address. */
export const toErrorResponse = (error: UseCaseError, limits: LimitValues, host = NO_FACTS): Response =>
  (RESPONSES[error._tag] as Respond)(error, limits, host)
