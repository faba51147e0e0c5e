/** The wallet of an account, and its statement. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { statementCsv, statementOf } from "../../../billing/Statement.ts"
import { type Risk, risksOf } from "../../../billing/MoneyAtRisk.ts"
import { toAmount } from "../../../domain/Money.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { ownerOf } from "../../../instances/Admission.ts"
import { Statements } from "../../../persistence/Statements.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"

const LINES_DEFAULT = 50

const ALL = { before: null, since: null, until: null }

const riskRecord = ({ missing, unpaid }: Risk) => ({
  missing: toAmount(missing),
  until: toTimestamp(unpaid[0].at),
  instances: unpaid.map(({ instanceId }) => instanceId)
})

export const wallet: PanelHandlers<"wallet", Member> = {
  balance: Effect.fnUntraced(function*(_, { caller }) {
    const { currency, wallet } = yield* ownerOf(caller)
    const { accountId } = caller
    const risk = (yield* risksOf([accountId], yield* Clock.currentTimeMillis)).get(accountId)
    return { balance: toAmount(wallet), currency, at_risk: risk === undefined ? null : riskRecord(risk) }
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
