/** The errors of use cases: one class per reason. `service/http/Errors.ts` maps each to its HTTP response. */
import * as Schema from "effect/Schema"
import type { Standing } from "./Gcra.ts"

/** The instance does not exist, is deleted, or belongs to another account; callers cannot distinguish these. */
export class InstanceNotFound extends Schema.TaggedError<InstanceNotFound>()("InstanceNotFound", {
  instanceId: Schema.Number
}) {}

/** The plan does not exist, is inactive, or is out of stock. */
export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", {
  planId: Schema.Number,
  outOfStock: Schema.Boolean
}) {}

/** The plan is not a VPS or dedicated plan. */
export class PlanNotOrderable extends Schema.TaggedError<PlanNotOrderable>()("PlanNotOrderable", {
  planId: Schema.Number,
  category: Schema.String
}) {}

/** The plan is priced in another currency than the wallet. */
export class CurrencyMismatch extends Schema.TaggedError<CurrencyMismatch>()("CurrencyMismatch", {
  plan: Schema.String,
  wallet: Schema.String
}) {}

/** A well-formed field whose value is not valid here; `problem` completes "Value error, ...". */
export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  field: Schema.String,
  problem: Schema.String
}) {}

export class CouponRejected extends Schema.TaggedError<CouponRejected>()("CouponRejected", {
  problem: Schema.String
}) {}

export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()("InsufficientFunds", {
  accountId: Schema.Int,
  /** Minor units. */
  charge: Schema.Number,
  wallet: Schema.Number,
  currency: Schema.String
}) {}

const Standings = Schema.Array(Schema.declare((value): value is Standing => typeof value === "object"))

/** The account has reached its rate limit for creates. */
export class CreateLimitExceeded extends Schema.TaggedError<CreateLimitExceeded>()("CreateLimitExceeded", {
  standings: Standings,
  /** The stored creates were counted while the clock was ahead. */
  clockWasAhead: Schema.Boolean
}) {}

/** The key was used with another body before, and the operator's policy rejects that. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {
  instanceId: Schema.Number,
  /** Fields in which the body differs from the original's. */
  fields: Schema.Array(Schema.String)
}) {}

/** A create with the same key is still running after the maximum wait. */
export class CreateInProgress extends Schema.TaggedError<CreateInProgress>()("CreateInProgress", {}) {}

/** The charge exceeds the most that the request allows, or is in another currency. */
export class ChargeTooHigh extends Schema.TaggedError<ChargeTooHigh>()("ChargeTooHigh", {
  /** Minor units. */
  charge: Schema.Number,
  /** ISO 4217 code. */
  currency: Schema.String,
  max: Schema.Struct({ amount: Schema.Number, currency: Schema.String })
}) {}

/** The account is closed, so it can neither buy nor hold money. */
export class AccountClosed extends Schema.TaggedError<AccountClosed>()("AccountClosed", {
  accountId: Schema.Number
}) {}

/** The account is frozen: nothing that costs money can be done with it. */
export class AccountFrozen extends Schema.TaggedError<AccountFrozen>()("AccountFrozen", {
  accountId: Schema.Number,
  /** The operator's, which the customer sees. */
  reason: Schema.String
}) {}

/** Another task is open on the instance. */
export class InstanceBusy extends Schema.TaggedError<InstanceBusy>()("InstanceBusy", {
  taskType: Schema.String
}) {}

/** The state machine does not allow the operation now. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  operation: Schema.String,
  status: Schema.String,
  /** The public reason of a suspension; null otherwise. */
  reason: Schema.NullOr(Schema.String),
  /** Until when a top-up renews an expired instance, in epoch milliseconds; null if none does. */
  renewableUntil: Schema.NullOr(Schema.Number),
  /** True once the termination of an expired instance has begun. */
  terminating: Schema.Boolean
}) {}

/** The deployment waits until an operator approves it. */
export class AwaitsApproval extends Schema.TaggedError<AwaitsApproval>()("AwaitsApproval", {}) {}

/**
 * The database was unavailable (disk full, I/O error, unreachable, closing). Nothing of the use case was saved, unless
 * it is in doubt: then the response to its commit was lost.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  message: Schema.String,
  inDoubt: Schema.optional(Schema.Boolean)
}) {}

/** The upstream refused the request, or did not confirm it. */
export class UpstreamFailed extends Schema.TaggedError<UpstreamFailed>()("UpstreamFailed", {
  operation: Schema.String,
  reason: Schema.String,
  /** `unknown`: the answer was lost, so the operation may have been executed. */
  outcome: Schema.Literals(["unchanged", "unknown"])
}) {}

/** Snapshots, backups and resizes are for virtual machines only. */
export class NotForCategory extends Schema.TaggedError<NotForCategory>()("NotForCategory", {
  category: Schema.String
}) {}

/** The plan to resize to is not a plan for virtual machines. */
export class OtherCategory extends Schema.TaggedError<OtherCategory>()("OtherCategory", {
  planId: Schema.Number,
  category: Schema.String
}) {}

/** The plan to resize to is in another data center than the instance. */
export class OtherDataCenter extends Schema.TaggedError<OtherDataCenter>()("OtherDataCenter", {
  planId: Schema.Number
}) {}

/** The plan to resize to is the one the instance has. */
export class CurrentPlan extends Schema.TaggedError<CurrentPlan>()("CurrentPlan", {
  planId: Schema.Number
}) {}

/** The snapshot, backup or ISO does not exist, or belongs to another instance. */
export class PartNotFound extends Schema.TaggedError<PartNotFound>()("PartNotFound", {
  part: Schema.Literals(["Snapshot", "Backup", "ISO"]),
  id: Schema.Number
}) {}

/** The snapshot or backup has nothing to restore. */
export class NotRestorable extends Schema.TaggedError<NotRestorable>()("NotRestorable", {
  part: Schema.Literals(["Snapshot", "Backup"]),
  id: Schema.Number,
  status: Schema.String
}) {}

export class SnapshotQuotaReached extends Schema.TaggedError<SnapshotQuotaReached>()("SnapshotQuotaReached", {
  quota: Schema.Number
}) {}
