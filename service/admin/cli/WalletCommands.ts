/** Wallets, and the ledger. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { csvOf } from "../../billing/StatementCsv.ts"
import type { InputOf, ResultOf } from "../Commands.ts"
import { reject, rejectUsage } from "../CommandRejected.ts"
import { admin, commandFor, limit, noteMore, perform, present, withoutAbsent } from "./AdminCommand.ts"
import { plain } from "./Output.ts"
import { optional, toggle } from "./Flags.ts"

const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))

const amount = Argument.Finite("amount").pipe(
  Argument.withDescription("In units of the account's currency, like 25.50")
)

const reason = Flag.String("reason").pipe(Flag.withDescription("The reason, which the customer sees"))

const reference = (thing: string) =>
  optional(Flag.String("reference"), `The ${thing}'s unique name, which is booked only once (default: generated)`)

const topUp = commandFor("wallet.top_up", { account_id: account, amount, reference: reference("payment") }, {
  description: "Add money to a wallet, and renew instances that expired for lack of funds",
  example: "wallet top-up 1 100 --reference bank-2027-0042"
})

const debit = commandFor("wallet.debit", {
  account_id: account,
  amount,
  reason,
  payout: toggle(
    "payout",
    "The money was paid back to the customer; without it, it is charged, with the customer's VAT"
  ),
  reference: reference("debit")
}, {
  description: "Take money out of a wallet, for a service of yours or because it was paid back",
  example: "wallet debit 1 25 --reason \"data recovery\""
})

const refund = commandFor("wallet.refund", {
  line: Argument.Int("line").pipe(Argument.withDescription("The number of the charge on the account's statement")),
  amount: optional(Flag.Finite("amount"), "A part of the charge (default: all that was not refunded)"),
  reason,
  reference: reference("refund")
}, {
  description: "Give back a charge or a part of it to the wallet, with its VAT. The instance is not changed",
  example: "wallet refund 42 --amount 2.50 --reason \"outage on Monday\""
})

/** The columns of a table. */
const summarize = (
  { amount, at, balance, currency, description, id, kind, vat_amount }: ResultOf<"wallet.statement">[number]
) => ({ id, at, kind, description, vat_amount, amount, balance, currency })

const CSV_PAGE = 1_000

/** All pages, so that a spreadsheet has the whole statement. */
const printCsv = Effect.fnUntraced(function*(input: InputOf<"wallet.statement">) {
  const { output } = yield* admin
  if (output === "json") return yield* rejectUsage("--csv and -o json contradict each other. Pass one of them.")
  let next: InputOf<"wallet.statement"> | undefined = { ...input, limit: CSV_PAGE }
  for (let isFirst = true; next !== undefined; isFirst = false) {
    const lines: ResultOf<"wallet.statement"> = yield* perform("wallet.statement", next)
    yield* plain(csvOf(lines, isFirst))
    next = lines.length < CSV_PAGE ? undefined : { ...next, before: lines.at(-1)!.id }
  }
})

const statement = Command.make("statement", {
  account_id: account,
  before: optional(Flag.Int("before"), "Only lines before this number, for the next page"),
  since: optional(Flag.String("since"), "Only lines from this time on, like 2027-01-31 or 2027-01-31T12:00:00Z"),
  until: optional(Flag.String("until"), "Only lines before this time"),
  limit,
  csv: toggle("csv", "Print all lines as CSV, for spreadsheets")
}, ({ csv, ...parsed }) => {
  const input = withoutAbsent(parsed)
  return csv ? printCsv(input) : Effect.flatMap(
    present("wallet.statement", input, (lines) => lines.map(summarize)),
    (lines) => noteMore("wallet.statement", input, lines, { flag: "before", idOf: ({ id }) => id })
  )
}).pipe(
  Command.withDescription("List the transactions of a wallet with what each is for, newest first"),
  Command.withExamples([
    { command: "vps-service admin wallet statement 1 --since 2027-01-01 --until 2028-01-01 --csv > 2027.csv" }
  ])
)

export const wallet = Command.make("wallet").pipe(
  Command.withDescription("Top up, debit and refund wallets, and list their transactions"),
  Command.withSubcommands([topUp, debit, refund, statement])
)

const verify = Command.make(
  "verify",
  {},
  Effect.fnUntraced(function*() {
    const { balanced } = yield* present("ledger.verify", {})
    if (!balanced) return yield* reject("The ledger does not balance. Investigate the accounts listed above.")
  })
).pipe(Command.withDescription("Recompute every balance from the ledger; fails if one is wrong"))

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Audit the ledger"),
  Command.withSubcommands([verify])
)
