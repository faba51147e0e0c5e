/** The bookings of one account, as lines of its wallet's statement. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Explanation } from "../domain/Explanation.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, selectAll } from "./Columns.ts"
import { parseExplanation } from "./Journals.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import type { JournalKind } from "../contract/Words.ts"

export interface Booking {
  /** The number of the line. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: JournalKind
  /** Change of the wallet. */
  readonly amount: Minor
  /** The wallet's balance after it. */
  readonly balance: Minor
  /** The parts of the amount; both are 0 in a top-up and a payout. */
  readonly net: Minor
  readonly vat: Minor
  /** ISO 4217 code. */
  readonly currency: string
  readonly reference: string
  readonly instanceId: number | null
  /** Of the instance; null if the customer chose none. */
  readonly hostname: string | null
  readonly orderId: number | null
  /** Begin of the instance's first period, in epoch milliseconds. */
  readonly paidFrom: number | null
  /** The line that this one refunds. */
  readonly reverses: number | null
  readonly explanation: Explanation | null
}

/** Null selects all. */
export interface StatementFilter {
  /** Only lines before this one. */
  readonly before: number | null
  /** Epoch milliseconds, inclusive. */
  readonly since: number | null
  /** Epoch milliseconds, exclusive. */
  readonly until: number | null
  /** Only lines of this instance. */
  readonly instanceId?: number | null
}

export class Statements extends Context.Service<Statements, {
  /** Newest first. */
  readonly lines: (
    accountId: number,
    filter: StatementFilter,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Booking>>
}>()("@pulumi-vps/service/Statements") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const lines = selectAll(sql, LINE, LINES)
      return {
        lines: (accountId, { before, instanceId = null, since, until }, limit) =>
          Rows.each(lines(accountId, `wallet:${accountId}`, before, since, until, instanceId, limit), toBooking)
      }
    })
  )
}

interface Line extends Omit<Booking, "explanation"> {
  readonly explanation: string | null
}

const toBooking = (line: Line): Booking => ({ ...line, explanation: parseExplanation(line.explanation) })

const sumOf = (condition: string) => `sum(CASE WHEN ${condition} THEN e.amount ELSE 0 END)`
const WALLET = sumOf("e.account = ?2")

const LINE = columns<Line>({
  id: "j.id",
  at: "j.created_at",
  kind: "j.kind",
  amount: "j.amount",
  balance: "j.balance",
  net: "j.net",
  vat: "j.vat",
  currency: "j.currency",
  reference: "j.reference",
  instanceId: "j.instance_id",
  hostname: "i.hostname",
  orderId: "i.order_id",
  paidFrom: "coalesce(i.paid_from, i.created_at)",
  reverses: "j.reverses",
  explanation: "j.explanation"
})

/** The balance is computed before lines are selected, so that it is right for each of them. */
const SUMS = `SELECT j.id, j.created_at, j.kind, j.currency, j.reference, j.instance_id, j.reverses, j.explanation,
    CAST(${WALLET} AS BIGINT) AS amount,
    CAST(sum(${WALLET}) OVER (ORDER BY j.id) AS BIGINT) AS balance,
    CAST(-${sumOf("e.account = 'revenue'")} AS BIGINT) AS net,
    CAST(-${sumOf("e.account = 'vat'")} AS BIGINT) AS vat
  FROM journals j JOIN entries e ON e.journal_id = j.id
  WHERE j.account_id = ?1 AND (CAST(?3 AS BIGINT) IS NULL OR j.id < ?3)
  GROUP BY j.id`

const LINES = `FROM (${SUMS}) AS j LEFT JOIN instances i ON i.id = j.instance_id
  WHERE (CAST(?4 AS BIGINT) IS NULL OR j.created_at >= ?4) AND (CAST(?5 AS BIGINT) IS NULL OR j.created_at < ?5)
    AND (CAST(?6 AS BIGINT) IS NULL OR j.instance_id = ?6)
  ORDER BY j.id DESC LIMIT ?7`
