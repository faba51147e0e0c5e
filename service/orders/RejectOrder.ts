/** An operator rejects an order whose deployment waits for approval: the customer gets the money back, and a mail. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { release } from "../catalogue/Capacity.ts"
import { planOf } from "../catalogue/Plans.ts"
import { toAmount } from "../domain/Money.ts"
import { mailRejected } from "../operations/ContractMails.ts"
import { Provision } from "../operations/Provision.ts"
import { Instances } from "../persistence/Instances.ts"
import { Orders } from "../persistence/Orders.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"

/** The task is not one that waits for approval. */
class NotHeld extends Schema.TaggedError<NotHeld>()("NotHeld", { message: Schema.String }) {}

/**
 * Ends the order as a failed deployment does: the charge is refunded, the coupon can be used again, the idempotency key
 * expires, and host and address are free. Nothing was built, so nothing has to be deleted. Part of its caller's
 * transaction; fails with `NotHeld`.
 */
export const rejectOrder = Effect.fnUntraced(function*(task: Task, reason: string, at: number) {
  const { id, instanceId, runAt, status, type } = task
  if (type !== "provision" || status !== "queued" || runAt !== null) {
    return yield* new NotHeld({ message: `Task ${id} (${type}) is ${status} and does not wait for approval.` })
  }
  const instance = (yield* (yield* Instances).find(instanceId))!
  const { charge } = (yield* (yield* Orders).find(instance.orderId))!
  yield* (yield* Tasks).cancel(id, `The order was rejected: ${reason}`, at)
  yield* Provision.saga({ task, instance, password: null }).fail(at, false)
  yield* release(instanceId, at)
  const { currency, name: planName } = yield* planOf(instance)
  yield* mailRejected(instanceId, { planName, reason, refund: charge }, at)
  return { task_id: id, instance_id: instanceId, refunded: toAmount(charge), currency, reason }
})
