/** The wallet of an account, and its statement. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { statementCsv, statementOf } from "../../../billing/Statement.ts"
import { amountDue } from "../../../billing/AmountDue.ts"
import { type Forecast, FORECAST_DAYS, forecastOfAccount } from "../../../billing/MoneyAtRisk.ts"
import { paymentOf } from "../../../domain/HowToPay.ts"
import { toAmount } from "../../../domain/Money.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { Statements } from "../../../persistence/Statements.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"

const LINES_DEFAULT = 50

const ALL = { before: null, since: null, until: null }

const DAY_MILLIS = 86_400_000

const forecastRecord = ({ at, balance, charge, hostname, instanceId }: Forecast) => ({
  at: toTimestamp(at),
  instance_id: instanceId,
  hostname,
  charge: toAmount(charge),
  balance: toAmount(balance)
})

export const wallet: PanelHandlers<"wallet", Member> = {
  balance: Effect.fnUntraced(function*(_, { caller }) {
    const { currency, howToPay, missing, record, wallet } = yield* amountDue(caller)
    const { accountId } = caller
    return {
      balance: toAmount(wallet),
      currency,
      ...record,
      missing: toAmount(missing),
      payment: howToPay === undefined ? null : paymentOf(howToPay, { accountId, currency })
    }
  }),
  forecast: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const now = yield* Clock.currentTimeMillis
    return {
      from: toTimestamp(now),
      until: toTimestamp(now + FORECAST_DAYS * DAY_MILLIS),
      charges: (yield* forecastOfAccount(accountId, now)).map(forecastRecord)
    }
  }),
  statement: Effect.fnUntraced(function*({ query }, { caller: { accountId } }) {
    const { after, instance, limit = LINES_DEFAULT } = query
    const filter = { ...ALL, before: after ?? null, ...(instance === undefined ? {} : { instanceId: instance }) }
    // One more shows if there is another page.
    const lines = yield* statementOf(accountId, filter, limit + 1)
    const items = lines.slice(0, limit)
    return { items, next: lines.length > limit ? items.at(-1)!.id : null }
  }),
  statement_csv: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const csv = Stream.provideService(statementCsv(accountId, ALL), Statements, yield* Statements)
    return HttpServerResponse.stream(Stream.encodeText(csv), {
      contentType: "text/csv; charset=utf-8",
      headers: {
        "content-disposition": `attachment; filename="statement-${accountId}.csv"`,
        "cache-control": "no-store"
      }
    })
  })
}
