/** The bookings of all accounts, for operators. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { among, columns, contains } from "./Columns.ts"
import { parseExplanation } from "./Journals.ts"
import { type Condition, given, isId, makeList, scanning } from "./Listing.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import type { Booking } from "./Statements.ts"
import type { JournalKind } from "../contract/Words.ts"

export interface ListedBooking extends Omit<Booking, "balance" | "net" | "vat" | "orderId"> {
  readonly accountId: number
  /** The account's address. */
  readonly email: string
}

/** Null selects all. */
export interface BookingFilter {
  readonly kinds: ReadonlyArray<JournalKind> | null
  /** The number of a line, an account or an instance, or a part of the address, the reference or the reason. */
  readonly search: string | null
  /** Only lines before this one. */
  readonly before: number | null
  /** Epoch milliseconds, inclusive and exclusive. */
  readonly since: number | null
  readonly until: number | null
}

export class Bookings extends Context.Service<Bookings, {
  /** Newest first. */
  readonly list: (filter: BookingFilter, limit: number) => Effect.Effect<ReadonlyArray<ListedBooking>>
}>()("@pulumi-vps/service/Bookings") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const list = makeList(sql, {
        columns: BOOKING,
        table: "journals",
        alias: "j",
        id: "id",
        joins: "LEFT JOIN accounts a ON a.id = j.account_id LEFT JOIN instances i ON i.id = j.instance_id",
        newestFirst: true,
        step: STEP
      })
      return {
        list: (filter, limit) =>
          Rows.each(list({ conditions: conditionsOf(filter), cursor: filter.before, limit }), toBooking)
      }
    })
  )
}

/** Less than in other lists, because each row is joined. */
const STEP = 10_000

interface Stored extends Omit<ListedBooking, "explanation"> {
  readonly explanation: string | null
}

const toBooking = (stored: Stored): ListedBooking => ({
  ...stored,
  explanation: parseExplanation(stored.explanation)
})

const BOOKING = columns<Stored>({
  id: "j.id",
  at: "j.created_at",
  kind: "j.kind",
  amount: `(SELECT CAST(coalesce(sum(e.amount), 0) AS BIGINT) FROM entries e
    WHERE e.journal_id = j.id AND substr(e.account, 1, 7) = 'wallet:')`,
  currency: "j.currency",
  reference: "j.reference",
  instanceId: "j.instance_id",
  hostname: "i.hostname",
  paidFrom: "coalesce(i.paid_from, i.created_at)",
  reverses: "j.reverses",
  explanation: "j.explanation",
  accountId: "j.account_id",
  email: "a.email"
})

const PLACES = ["a.email", "j.reference", "j.explanation"]

const found = (text: string): Condition =>
  isId(text)
    ? scanning("j.id = ? OR j.account_id = ? OR j.instance_id = ?", Number(text), Number(text), Number(text))
    : scanning(PLACES.map((place) => contains(place, "?")).join(" OR "), ...PLACES.map(() => text))

const conditionsOf = ({ kinds, search, since, until }: BookingFilter): ReadonlyArray<Condition> => [
  ...given(kinds, (some) => scanning(`j.kind ${among(some)}`)),
  ...given(since, (time) => scanning("j.created_at >= ?", time)),
  ...given(until, (time) => scanning("j.created_at < ?", time)),
  ...given(search?.toLowerCase() ?? null, found)
]
