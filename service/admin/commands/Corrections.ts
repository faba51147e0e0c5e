/** The commands that take back what a wrong clock did. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type CannotTakeBack, takeBackExpiry, takeBackRenewal } from "../../billing/TakeBack.ts"
import { toTimestamp } from "../../domain/Calendar.ts"
import { type CorrectionNotice, Notices } from "../../instances/Notices.ts"
import type { Subscription } from "../../persistence/instances/Subscriptions.ts"
import { Instances } from "../../persistence/Instances.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { reject } from "../CommandRejected.ts"
import { findIdle } from "./Instances.ts"
import type { UseCases } from "../UseCases.ts"

/** Corrects an idle instance, then mails its owner. The command waits for the mail, which may take three attempts. */
const correct = <R>(
  change: (subscription: Subscription, at: number) => Effect.Effect<CorrectionNotice, CannotTakeBack, R>
) =>
  Effect.fnUntraced(function*({ id }: { readonly id: number }) {
    const at = yield* Clock.currentTimeMillis
    const correction = yield* (yield* Transaction).run(Effect.gen(function*() {
      const { lifecycle } = yield* findIdle(id)
      const subscription = yield* (yield* Instances).subscriptions.find(id)
      if (subscription === undefined) return yield* reject(`Instance ${id} is ${lifecycle}, and has no paid period.`)
      return yield* change(subscription, at)
    })).pipe(Effect.catchTag("CannotTakeBack", ({ message }) => Effect.fail(reject(message))))
    yield* (yield* WorkerNotifier).notify
    const mailed = yield* (yield* Notices).corrected(correction)
    const { expiresAt, instanceId, text } = correction
    return { instance_id: instanceId, result: text, expires_at: toTimestamp(expiresAt), mailed }
  })

export const undoRenewal = correct(takeBackRenewal)

export const undoExpiry = correct(takeBackExpiry)

export const CORRECTIONS_USE_CASES = {
  "instances.undo_renewal": undoRenewal,
  "instances.undo_expiry": undoExpiry
} satisfies UseCases
