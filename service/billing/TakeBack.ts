/** Takes a renewal or an expiry back that should not have happened. Each is part of its caller's transaction. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toTimestamp } from "../domain/Calendar.ts"
import { asText, toAmount } from "../domain/Money.ts"
import { periodEnding } from "../domain/Proration.ts"
import { ownerOf } from "../instances/Admission.ts"
import type { CorrectionNotice } from "../instances/Notices.ts"
import { refundRenewal } from "../ledger/Refunds.ts"
import { enqueueAs } from "../operations/Enqueue.ts"
import { Start } from "../operations/Power.ts"
import { openReference } from "../operations/Renew.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"
import { Instances } from "../persistence/Instances.ts"
import { Tasks } from "../persistence/Tasks.ts"

/** It cannot be taken back; the message says what to do instead. */
export class CannotTakeBack extends Schema.TaggedError<CannotTakeBack>()("CannotTakeBack", {
  message: Schema.String
}) {}

const refuse = (message: string) => new CannotTakeBack({ message })

const record = Effect.fnUntraced(function*(instanceId: number, type: CorrectionNotice["type"], at: number) {
  const by = { actor: "admin", apiKeyId: null, requestId: null } as const
  yield* (yield* Tasks).recordAudit({ ...by, instanceId, type, status: "succeeded", error: null, at })
})

/** Refunds the newest period, and ends the paid period where it ended before. */
export const takeBackRenewal = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { autoRenew, expiresAt, instanceId, lifecycle, paidFrom } = subscription
  if (lifecycle !== "active" && lifecycle !== "suspended") {
    return yield* refuse(
      `Instance ${instanceId} is ${lifecycle}. Only an active or suspended one has a renewal to undo.`
    )
  }
  const { start } = periodEnding(paidFrom, expiresAt)
  const reference = yield* openReference({ ...subscription, expiresAt: start })
  if (autoRenew && start <= at) {
    return yield* refuse(
      `The period before the renewal ended at ${toTimestamp(start)}, so instance ${instanceId} would be renewed again. `
        + `Turn renewal off first: instances auto-renew ${instanceId} off.`
    )
  }
  const refunded = yield* refundRenewal({ reference, at })
  if (refunded === undefined) {
    return yield* refuse(
      `Instance ${instanceId} was not renewed at ${
        toTimestamp(start)
      }, or that renewal is refunded, so there is nothing `
        + "to undo."
    )
  }
  yield* (yield* Instances).subscriptions.setEnd(instanceId, start)
  yield* record(instanceId, "undo_renew", at)
  const { currency, email } = yield* ownerOf(subscription)
  const text = `Its last renewal was a mistake and was undone. ${asText(toAmount(refunded))} ${currency} were refunded.`
  return { instanceId, type: "undo_renew", email, text, expiresAt: start } satisfies CorrectionNotice
})

const EXPIRY_UNDONE = "Its expiry was a mistake and was undone."

/** Restores an instance that expired although its period is paid, with its power. */
export const takeBackExpiry = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { expiresAt, instanceId, lifecycle, resumePower, suspended } = subscription
  if (lifecycle !== "expired") {
    return yield* refuse(`Instance ${instanceId} is ${lifecycle}. Only an expired one has an expiry to undo.`)
  }
  if (expiresAt <= at) {
    return yield* refuse(
      `The paid period of instance ${instanceId} ended at ${toTimestamp(expiresAt)}, so it would expire again. `
        + "Top up the wallet, or turn renewal on, to renew it."
    )
  }
  yield* (yield* Instances).subscriptions.restore(instanceId)
  if (resumePower === "on" && !suspended) yield* enqueueAs("admin", instanceId, Start.task({}), at)
  yield* record(instanceId, "undo_expire", at)
  const { email } = yield* ownerOf(subscription)
  return { instanceId, type: "undo_expire", email, text: EXPIRY_UNDONE, expiresAt } satisfies CorrectionNotice
})
