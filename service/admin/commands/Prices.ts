/** The command for the price of existing contracts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { reprice } from "../../billing/Reprice.ts"
import { Limits } from "../../config/Limits.ts"
import { toTimestamp } from "../../domain/Calendar.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { notFound, reject } from "../CommandRejected.ts"
import { hundredths, millisOf } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

/** Announces a price to the owners of a plan's instances; it applies to periods that begin at a moment or later. */
export const repricePlan = Effect.fnUntraced(function*({ from, id, price, replace = false }: InputOf<"plans.reprice">) {
  const plan = yield* (yield* Catalogue).plan(id)
  if (plan === undefined) return yield* notFound("plan", id)
  const { REPRICE_NOTICE_MILLIS } = yield* Limits
  const start = millisOf(from)!
  const earliest = (yield* Clock.currentTimeMillis) + REPRICE_NOTICE_MILLIS
  if (start < earliest) {
    return yield* reject(
      `The price would change before customers can react. Set --from to ${toTimestamp(earliest)} or later.`
    )
  }
  const change = { planId: id, price: hundredths(price), from: start }
  const { repriced, skipped, uninformed } = yield* reprice(plan, change, replace).pipe(
    Effect.catchTag("AnnouncedBefore", ({ message }) => Effect.fail(reject(message)))
  )
  return {
    plan_id: id,
    price,
    currency: plan.currency,
    from: toTimestamp(start),
    repriced,
    uninformed,
    skipped: skipped.map(({ accountId, instanceId, reason }) => ({
      account_id: accountId,
      instance_id: instanceId,
      reason
    }))
  }
})

export const PRICES_USE_CASES = {
  "plans.reprice": repricePlan
} satisfies UseCases
