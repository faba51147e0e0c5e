/** The commands for wallets, the ledger, and what customers pay. */
import * as Schema from "effect/Schema"
import { NullableInt, NullableString, NullableTimestamp, text, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Amount, Currency, Id, Money, Name, PositivePercent, Price, rule, Time, word } from "../Fields.ts"
import { StatementRecord } from "../Statement.ts"
import { JOURNAL_KINDS } from "../Words.ts"
import { acts, argument, flag, optional, reads, toggle } from "./Define.ts"
import { account, before, limit, reason } from "./Parameters.ts"

const amount = () => argument(Money, "amount", "In units of the account's currency, like 25.50")

const Reference = Name.check(
  rule<string>("value_error", "Input should have other characters than spaces", (text) => text.trim() !== "")
)

const reference = (thing: string) =>
  optional(
    Reference,
    `The ${thing}'s unique name, which is booked only once; its case and spaces do not matter (default: generated)`
  )

const seen = () => reason("which the customer sees")

/** Charges are those of instances, and operators' debits. */
const BOOKING_KINDS = ["top_up", "charge", "refund", "payout"] as const

const BookingRecord = Schema.Struct({
  /** Its number on the statement. */
  id: Schema.Int,
  at: Timestamp,
  account_id: Schema.Int,
  account_email: Schema.String,
  instance_id: NullableInt,
  kind: Schema.Literals(JOURNAL_KINDS),
  description: Schema.String,
  /** Change of the wallet. */
  amount: Amount,
  currency: Schema.String,
  reference: Schema.String
})

/** A booking by an operator. */
const Booked = Schema.Struct({
  account_id: Schema.Int,
  /** Its number on the statement. */
  line: Schema.Int,
  amount: Amount,
  currency: Schema.String,
  /** The balance afterwards. */
  wallet: Amount,
  reference: Schema.String,
  /** True if an earlier call with the reference has booked it. */
  repeated: Schema.Boolean
})

const WALLET = {
  "wallet.top_up": acts({
    text: "Add money to a wallet, and renew instances that expired for lack of funds",
    examples: ["wallet top-up 1 100 --reference bank-2027-0042"],
    input: () => ({ account_id: account(), amount: amount(), reference: reference("payment") }),
    result: () =>
      Schema.Struct({
        account_id: Schema.Int,
        amount: Amount,
        currency: Schema.String,
        reference: Schema.String,
        /** The balance afterwards. */
        wallet: Amount,
        /** Ids of the instances that are paid for again. */
        renewed: Schema.Array(Schema.Int),
        not_renewed: Schema.Array(Schema.Struct({ instance_id: Schema.Int, reason: Schema.String }))
      })
  }),
  "wallet.move_payment": acts({
    text: "Move a payment that was booked on the wrong account. The account that has spent it owes it",
    short: "Move a payment to the account that it belongs to",
    examples: ["wallet move-payment bank-2027-0042 --to 2 --reason \"booked on the wrong account\""],
    input: () => ({
      reference: argument(Reference, "reference", "The payment's unique name, with which it was booked"),
      to_account_id: flag(Id, "The account that it belongs to", { name: "to" }),
      reason: seen()
    }),
    result: () =>
      Schema.Struct({
        account_id: Schema.Int,
        /** The same as the account if the payment was on it already. */
        from_account_id: Schema.Int,
        /** Its number on the statement of the account. */
        line: Schema.Int,
        amount: Amount,
        currency: Schema.String,
        /** The balances afterwards. */
        wallet: Amount,
        from_wallet: Amount,
        /** Ids of the instances that are paid for again. */
        renewed: Schema.Array(Schema.Int),
        not_renewed: Schema.Array(Schema.Struct({ instance_id: Schema.Int, reason: Schema.String })),
        /** True if an earlier call has moved it. */
        repeated: Schema.Boolean
      })
  }),
  "wallet.debit": acts({
    text: "Take money out of a wallet, for a service of yours or because it was paid back",
    examples: [
      "wallet debit 1 25 --reason \"data recovery\"",
      "wallet debit 1 25 --payout --reason \"charged back by the bank\""
    ],
    input: () => ({
      account_id: account(),
      /** Including VAT. */
      amount: amount(),
      reason: seen(),
      payout: toggle(
        "The money went back to the customer, also by a chargeback: what the wallet has spent of it is owed. Without "
          + "it, the amount is charged, with the customer's VAT"
      ),
      reference: reference("debit")
    }),
    result: () => Booked
  }),
  "wallet.refund": acts({
    text: "Give back a charge or a part of it to the wallet, with its VAT. The instance is not changed",
    examples: ["wallet refund 42 --amount 2.50 --reason \"outage on Monday\""],
    input: () => ({
      line: argument(Id, "line", "The number of the charge on the account's statement"),
      amount: optional(Money, "A part of the charge (default: all that was not refunded)"),
      reason: seen(),
      reference: reference("refund")
    }),
    result: () => Booked
  }),
  "wallet.statement": reads({
    text: "List the transactions of a wallet with what each is for, newest first",
    examples: ["wallet statement 1 --since 2027-01-01 --until 2028-01-01 --csv > 2027.csv"],
    input: () => ({
      account_id: account(),
      instance_id: optional(Id, "Only lines of this instance"),
      before: before("lines", "number"),
      since: optional(Time, "Only lines from this time on, like 2027-01-31 or 2027-01-31T12:00:00Z"),
      until: optional(Time, "Only lines before this time"),
      limit: limit()
    }),
    result: () => Schema.Array(StatementRecord),
    columns: ["id", "at", "kind", "description", "vat_amount", "amount", "balance", "currency"],
    pages: { from: "before", field: "id" }
  }),
  "wallet.bookings": reads({
    text: "List the transactions of all wallets, newest first",
    input: () => ({
      kind: optional(word(BOOKING_KINDS), "Only top-ups, charges, refunds, or payouts"),
      search: optional(
        Name,
        "Only the number of a line, an account or an instance, or a part of the account's address, reference or reason"
      ),
      before: before("lines", "number"),
      since: optional(Time, "Only lines from this time on, like 2027-01-31 or 2027-01-31T12:00:00Z"),
      until: optional(Time, "Only lines before this time"),
      limit: limit()
    }),
    result: () => Schema.Array(BookingRecord),
    columns: ["id", "at", "account_email", "kind", "description", "amount", "currency"],
    pages: { from: "before", field: "id" }
  }),
  "ledger.verify": reads({
    text: "Recompute every balance from the ledger; fails if one is wrong",
    result: () =>
      Schema.Struct({
        balanced: Schema.Boolean,
        /** References of journals whose entries do not sum to zero. */
        unbalanced: Schema.Array(Schema.String),
        /** Ids of accounts whose wallet differs from its journals. */
        wrong_wallets: Schema.Array(Schema.Int)
      })
  })
}

const CouponRecord = Schema.Struct({
  code: Schema.String,
  kind: Schema.Literals(["percent", "fixed"]),
  value: Schema.Finite,
  /** Of a fixed amount. */
  currency: NullableString,
  valid_from: NullableTimestamp,
  valid_until: NullableTimestamp,
  uses: Schema.Int,
  max_uses: NullableInt,
  once_per_account: Schema.Boolean
})

const CODE_MAX = 64

const time = (edge: string) => optional(Time, `${edge}, like 2027-01-31 or 2027-01-31T12:00:00Z`)

const OFFERS = {
  "coupons.create": acts({
    text: "Create a coupon for a percentage or a fixed amount",
    examples: ["coupons create WELCOME10 --percent 10 --once-per-account"],
    input: () => ({
      code: argument(text(1, CODE_MAX), "code", "The code that customers enter; case-sensitive"),
      /** Either a percentage, or a fixed amount with its currency. */
      percent: optional(PositivePercent, "Discount in percent"),
      fixed: optional(Money, "Discount as a fixed amount"),
      currency: optional(Currency, "Currency of a fixed amount (default: EUR)"),
      valid_from: time("Start of validity"),
      valid_until: time("End of validity (exclusive)"),
      max_uses: optional(Id, "Maximum number of uses by all accounts"),
      once_per_account: toggle("Limit each account to one use")
    }),
    result: () => CouponRecord
  }),
  "coupons.list": reads({
    text: "List coupons by code, with their uses",
    result: () => Schema.Array(CouponRecord)
  }),
  "plans.reprice": acts({
    text: "Change the price of existing instances with a plan, and mail their owners. The price applies once the mail "
      + "is sent. Ctrl-C withdraws the mails that were not sent yet; repeat the command to continue. New orders have "
      + "the catalogue's price",
    short: "Change the price of existing instances, and mail their owners",
    examples: ["plans reprice 1 --price 5.99 --from 2027-01-31"],
    input: () => ({
      id: argument(Id, "plan", "The plan's id"),
      price: flag(Price, "The new gross price of a period"),
      from: flag(Time, "Applies to periods that begin then or later, like 2027-01-31 or 2027-01-31T12:00:00Z"),
      replace: Schema.optionalKey(toggle("Replace a price that was announced before; the mail says so")),
      dry_run: Schema.optionalKey(toggle("Only show how many instances and accounts it concerns"))
    }),
    unless: ({ dry_run: dryRun = false }) => dryRun,
    result: () =>
      Schema.Struct({
        plan_id: Schema.Int,
        price: Amount,
        currency: Schema.String,
        from: Timestamp,
        /** The number of contracts. */
        repriced: Schema.Int,
        /** The number of accounts that these belong to. */
        accounts: Schema.Int,
        /** Ids of accounts whose mail waits for the mail server. They have the price once it is sent. */
        waiting: Schema.Array(Schema.Int),
        /** Ids of accounts whose address the mail server refuses. They keep the old price. */
        uninformed: Schema.Array(Schema.Int),
        /** Ids of accounts whose mail was withdrawn, because the command was interrupted. They keep the old price. */
        withdrawn: Schema.Array(Schema.Int),
        skipped: Schema.Array(
          Schema.Struct({ account_id: Schema.Int, instance_id: Schema.Int, reason: Schema.String })
        )
      })
  })
}

export const MONEY_COMMANDS = { ...WALLET, ...OFFERS }
