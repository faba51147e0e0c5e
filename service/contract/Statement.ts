/** A line of a wallet's statement, for customers and operators. */
import * as Schema from "effect/Schema"
import {
  type Encoded,
  NullableInt,
  NullableString,
  NullableTimestamp,
  Timestamp
} from "@pulumi-vps/contract/Primitives"
import { Amount, NullableAmount } from "./Fields.ts"
import { JOURNAL_KINDS } from "./Words.ts"

/** Amounts are in units of the currency; those of a charge are negative, and `net` and `vat_amount` add up to it. */
export const StatementRecord = Schema.Struct({
  id: Schema.Int,
  at: Timestamp,
  kind: Schema.Literals(JOURNAL_KINDS),
  description: Schema.String,
  amount: Amount,
  /** After this line. */
  balance: Amount,
  currency: Schema.String,
  net: NullableAmount,
  vat_amount: NullableAmount,
  /** In percent. */
  vat_rate: Schema.NullOr(Schema.Finite),
  vat_treatment: NullableString,
  plan: NullableString,
  list_price: NullableAmount,
  previous_plan: NullableString,
  previous_list_price: NullableAmount,
  period_from: NullableTimestamp,
  period_to: NullableTimestamp,
  coupon: NullableString,
  discount: NullableAmount,
  reason: NullableString,
  instance_id: NullableInt,
  /** Of the instance. */
  hostname: NullableString,
  order_id: NullableInt,
  /** The line that this one refunds. */
  refund_of: NullableInt,
  reference: Schema.String
})
export interface StatementRecord extends Encoded<typeof StatementRecord> {}
