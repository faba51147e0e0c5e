/** The dry run: the same checks as a create, writing nothing. */
import * as Effect from "effect/Effect"
import type { DryRun } from "@pulumi-vps/contract/Instance"
import { toAmount } from "../domain/Money.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { ownerOf } from "../instances/Admission.ts"
import { keyDigest, type PlaceOrder, replayOf } from "./PlaceOrder.ts"
import { offerReads, type Quote, quote } from "./Quote.ts"

export interface Previewed {
  readonly preview: DryRun
  /** The fields in which the body differs from the one that the key bought. */
  readonly mismatch: ReadonlyArray<string>
}

/** Insufficient funds are a result, not an error; 400, 404 and 422 still apply. */
export const previewOrder = Effect.fnUntraced(function*({ body, caller, key }: PlaceOrder) {
  const claim = key === undefined ? undefined : yield* (yield* IdempotencyKeys).find(caller, keyDigest(key))
  if (claim === undefined) {
    const offer = yield* Effect.all(yield* offerReads(caller, body))
    return { preview: preview(yield* quote(body, offer)), mismatch: [] }
  }
  const replay = yield* replayOf(caller, body, claim)
  // The key was used before: nothing would be created or charged.
  const { service } = replay.instance.order
  const plan = { id: service.id, name: service.name, billingCycle: service.billing_cycle }
  return {
    preview: { ...preview({ account: yield* ownerOf(caller), plan, price: { charge: 0 } }), would_create: false },
    mismatch: replay.mismatch
  } satisfies Previewed
})

type Priced = Pick<Quote, "account"> & {
  readonly plan: Pick<Quote["plan"], "id" | "name" | "billingCycle">
  readonly price: Pick<Quote["price"], "charge">
  readonly discount?: Quote["discount"]
}

const preview = ({ account, discount, plan, price }: Priced): DryRun => ({
  dry_run: true,
  would_create: account.wallet >= price.charge,
  service_id: plan.id,
  plan_name: plan.name,
  billing_cycle: plan.billingCycle,
  charge_amount: toAmount(price.charge),
  discount_amount: toAmount(discount?.amount ?? 0),
  currency: account.currency,
  wallet_balance: toAmount(account.wallet),
  sufficient_funds: account.wallet >= price.charge
})
