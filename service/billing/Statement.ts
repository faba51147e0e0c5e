/** A wallet's statement: each line says what its amount is for, and the balance after it. */
import * as Effect from "effect/Effect"
import type { StatementRecord } from "../contract/Statement.ts"
import { monthsAfter } from "../domain/Period.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { type Minor, toAmount } from "../domain/Money.ts"
import { paymentOf } from "../ledger/Ledger.ts"
import { hostnameOf } from "../operations/InstalledSystem.ts"
import { type Booking, type StatementFilter, Statements } from "../persistence/Statements.ts"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Basis points in a percent. */
const PERCENT = 100

/** Length of a date in a timestamp. */
const DATE = 10

const dateOf = (at: number): string => toTimestamp(at).slice(0, DATE)

/**
 * The order in the references of versions that did not store the instance of a booking. A part of other references is
 * chosen by operators.
 */
const orderIn = (reference: string): number | null => {
  const found = /^(?:refund:)?(?:instance_create:|instance_renew:)?order:(\d+)/.exec(reference)
  return found === null ? null : Number(found[1])
}

type Described = Pick<Booking, "explanation" | "kind" | "paidFrom" | "reference" | "reverses">

/** The time that a line is for; the first period of an instance begins when it is deployed. */
const periodOf = ({ explanation, paidFrom }: Described): { readonly from: number; readonly to: number } | null => {
  if (explanation?.from !== undefined && explanation.to !== undefined) {
    return { from: explanation.from, to: explanation.to }
  }
  const isFirst = explanation?.plan !== undefined && paidFrom !== null
  return isFirst ? { from: paidFrom, to: monthsAfter(paidFrom, 1) } : null
}

const inParentheses = (texts: ReadonlyArray<string | undefined>): string => {
  const present = texts.filter((text) => text !== undefined)
  return present.length === 0 ? "" : ` (${present.join(", ")})`
}

/** The plan with the time that is paid for. */
const purchaseOf = (booking: Described): string => {
  const { coupon, plan, previous, suspended } = booking.explanation ?? {}
  const period = periodOf(booking)
  const time = period === null ? undefined : `${dateOf(period.from)} to ${dateOf(period.to)}`
  const what = previous === undefined ? plan ?? "Instance" : `Resize from ${previous} to ${plan}`
  const notes = [coupon === undefined ? undefined : `coupon ${coupon}`, suspended ? "while suspended" : undefined]
  return `${what}${inParentheses([time, ...notes])}`
}

/** The host name of the instance that a line is for; null for other lines. */
const hostnameIn = ({ hostname, instanceId }: Booking): string | null =>
  instanceId === null ? null : hostnameOf({ id: instanceId, hostname })

/** One sentence without a period, for people. */
export const describe = (booking: Described): string => {
  const { explanation, kind, reference, reverses } = booking
  const reason = explanation?.reason
  const because = reason === undefined ? "" : `: ${reason}`
  if (kind === "top_up") return `Top-up ${paymentOf(reference)}`
  if (kind === "debit") return `Debit${because}`
  if (kind === "payout") return `Payout${reverses === null ? "" : ` of line ${reverses}`}${because}`
  if (kind !== "refund") return purchaseOf(booking)
  const refunded = reverses === null ? "Refund" : `Refund of line ${reverses}`
  return explanation?.plan === undefined ? `${refunded}${because}` : `${refunded}, ${purchaseOf(booking)}${because}`
}

const optionalAmount = (minor: Minor | undefined): number | null => minor === undefined ? null : toAmount(minor)
const optionalTime = (at: number | undefined): string | null => at === undefined ? null : toTimestamp(at)

const toLine = (booking: Booking): StatementRecord => {
  const { explanation, net, vat } = booking
  const isTaxed = net !== 0 || vat !== 0
  const period = periodOf(booking)
  return {
    id: booking.id,
    at: toTimestamp(booking.at),
    kind: booking.kind,
    description: describe(booking),
    amount: toAmount(booking.amount),
    balance: toAmount(booking.balance),
    currency: booking.currency,
    net: isTaxed ? toAmount(net) : null,
    vat_amount: isTaxed ? toAmount(vat) : null,
    vat_rate: explanation?.rate === undefined ? null : explanation.rate / PERCENT,
    vat_treatment: explanation?.treatment ?? null,
    plan: explanation?.plan ?? null,
    list_price: optionalAmount(explanation?.price),
    previous_plan: explanation?.previous ?? null,
    previous_list_price: optionalAmount(explanation?.previousPrice),
    period_from: optionalTime(period?.from),
    period_to: optionalTime(period?.to),
    coupon: explanation?.coupon ?? null,
    discount: optionalAmount(explanation?.discount),
    reason: explanation?.reason ?? null,
    instance_id: booking.instanceId,
    hostname: hostnameIn(booking),
    order_id: booking.orderId ?? orderIn(booking.reference),
    refund_of: booking.reverses,
    reference: booking.reference
  }
}

/** Lines of an account, newest first. */
export const statementOf = Effect.fnUntraced(function*(accountId: number, filter: StatementFilter, limit: number) {
  return (yield* (yield* Statements).lines(accountId, filter, limit)).map(toLine)
})

/** Lines that are read at once: memory stays bounded, and other requests are served between two pages. */
const PAGE = 500

const COLUMNS: ReadonlyArray<keyof StatementRecord> = [
  "id",
  "at",
  "kind",
  "description",
  "amount",
  "balance",
  "currency",
  "net",
  "vat_rate",
  "vat_amount",
  "vat_treatment",
  "plan",
  "list_price",
  "previous_plan",
  "previous_list_price",
  "period_from",
  "period_to",
  "coupon",
  "discount",
  "reason",
  "instance_id",
  "hostname",
  "order_id",
  "refund_of",
  "reference"
]

/** A spreadsheet would evaluate a text that begins like this, after what it does not show. */
const FORMULA = /^[\s\p{C}]*[=+\-@|%\t\r]/u

/**
 * Texts are always quoted; one that a spreadsheet would evaluate gets an apostrophe, also with a sign of full width,
 * which some read like the plain one. Numbers are numbers.
 */
const cell = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const safe = FORMULA.test(value.normalize("NFKC")) ? `'${value}` : value
  return `"${safe.replaceAll("\"", "\"\"")}"`
}

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

const HEADER = row(COLUMNS.map((name) => cell(name)))

/** The lines, below their header if they are the first ones. */
export const csvOf = (lines: ReadonlyArray<StatementRecord>, isFirst: boolean): string =>
  `${isFirst ? HEADER : ""}${lines.map((line) => row(COLUMNS.map((name) => cell(line[name])))).join("")}`

/** All lines of an account, newest first, in texts of many lines each. */
export const statementCsv = (accountId: number, filter: StatementFilter) =>
  Stream.paginate(
    { filter, isFirst: true },
    ({ filter, isFirst }) =>
      Effect.map(statementOf(accountId, filter, PAGE), (lines) => {
        const last = Option.fromUndefinedOr(lines.at(-1))
        const next = Option.map(last, ({ id }) => ({ filter: { ...filter, before: id }, isFirst: false }))
        return [[csvOf(lines, isFirst)], next] as const
      })
  )
