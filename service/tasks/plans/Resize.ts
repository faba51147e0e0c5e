/** Another plan. Fails for good: what it cost goes back; in doubt the machine is set back to its plan, too. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { refundResize } from "../../ledger/Ledger.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import { Orders } from "../../persistence/Orders.ts"
import { type Operation, Rejected } from "../../provisioning/Driver.ts"
import {
  type CompensatingTask,
  DEFAULT_BUDGET,
  PAID_BUDGET,
  type Saga,
  type TaskContext
} from "../../operations/Saga.ts"

const Params = Schema.fromJsonString(Schema.Struct({
  plan_id: Schema.Int,
  /** List price in minor units, from which later changes are prorated. */
  price: Schema.Int,
  previous_id: Schema.Int,
  /** This sets back a resize that failed: the order never changed, and the money is back already. */
  undo: Schema.optionalKey(Schema.Boolean)
}))

const operationFor = Effect.fnUntraced(function*(planId: number) {
  const plan = yield* (yield* Catalogue).plan(planId)
  if (plan === undefined) return yield* new Rejected({ reason: "the plan is gone" })
  return { type: "resize", plan: plan.slug, specs: plan.specs } satisfies Operation
})

const undoOf = ({ plan_id: planId, previous_id: previous }: typeof Params.Type): CompensatingTask => ({
  type: "resize",
  params: JSON.stringify({ plan_id: previous, price: 0, previous_id: planId, undo: true }),
  after: "doubt"
})

export const resize = ({ instance, task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(Params)(task.params)
  const known = Schema.decodeOption(Params)(task.params)
  const isUndo = Option.exists(known, ({ undo }) => undo === true)
  return {
    retry: isUndo ? PAID_BUDGET : DEFAULT_BUDGET,
    steps: Effect.flatMap(params, ({ plan_id: id }) => Effect.map(operationFor(id), (operation) => [operation])),
    complete: Effect.fnUntraced(function*() {
      const { plan_id: planId, price } = yield* Effect.orDie(params)
      if (!isUndo) yield* (yield* Orders).setPlan(instance.orderId, planId, price)
    }),
    // What was not paid is not given back: an undo has no journal of its own.
    fail: (at) => Effect.asVoid(refundResize({ taskId: task.id, at })),
    compensation: isUndo ? null : Option.match(known, { onNone: () => null, onSome: undoOf })
  }
}
