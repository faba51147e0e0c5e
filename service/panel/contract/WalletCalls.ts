/** The wallet of an account, for its members. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { type Encoded, NullableString, NullableTimestamp, PathId, queryInt, Timestamp } from "#contract/Primitives"
import { JOURNAL_KINDS } from "../../domain/JournalKind.ts"
import { RequiredAccess } from "./Access.ts"

const NullableInt = Schema.NullOr(Schema.Int)
const NullableAmount = Schema.NullOr(Schema.Finite)

/** Amounts are in units of the currency; those of a charge are negative, and `net` and `vat_amount` add up to it. */
export const StatementRecord = Schema.Struct({
  id: Schema.Int,
  at: Timestamp,
  kind: Schema.Literals(JOURNAL_KINDS),
  description: Schema.String,
  amount: Schema.Finite,
  /** After this line. */
  balance: Schema.Finite,
  currency: Schema.String,
  net: NullableAmount,
  vat_amount: NullableAmount,
  /** In percent. */
  vat_rate: NullableAmount,
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
  order_id: NullableInt,
  /** The line that this one refunds. */
  refund_of: NullableInt,
  reference: Schema.String
})
export interface StatementRecord extends Encoded<typeof StatementRecord> {}

export const WalletRecord = Schema.Struct({ balance: Schema.Finite, currency: Schema.String })

/** `next` is for the query of the next page; null on the last one. */
export const StatementPage = Schema.Struct({ items: Schema.Array(StatementRecord), next: NullableInt })

const account = { account: PathId }

/** Most lines of a page. */
const STATEMENT_LIMIT_MAX = 200

export class WalletCalls extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.get("balance", "/accounts/:account/wallet", { params: account, success: WalletRecord }),
    HttpApiEndpoint.get("statement", "/accounts/:account/wallet/statement", {
      params: account,
      query: {
        limit: Schema.optionalKey(queryInt(1, STATEMENT_LIMIT_MAX)),
        /** The `next` of the page before. */
        after: Schema.optionalKey(queryInt(1))
      },
      success: StatementPage
    }),
    HttpApiEndpoint.get("statement_csv", "/accounts/:account/wallet/statement.csv", {
      params: account,
      success: Schema.String
    })
  )
  .annotate(RequiredAccess, "account")
{}
