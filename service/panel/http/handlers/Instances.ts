/** Instances that have changed, an instance's renewal, the names of its addresses, and who did what on it. */
import * as Effect from "effect/Effect"
import { TASKS_LIMIT_DEFAULT } from "#contract/Monitoring"
import { changeAutoRenew } from "../../../billing/Renewals.ts"
import { toTimestamp } from "../../../domain/Calendar.ts"
import { ptrRecords } from "../../../instances/Monitoring.ts"
import { activity, findInstances } from "../../../instances/Read.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { type Member, Refused } from "../Visitor.ts"

type Calls = "instances" | "auto_renew" | "activity" | "ptr_records"

export const instances: Pick<PanelHandlers<"account", Member>, Calls> = {
  instances: ({ query: { ids } }, { caller }) => findInstances(caller, ids.split(",").map(Number)),
  auto_renew: Effect.fnUntraced(function*({ params: { id }, payload: { auto_renew: autoRenew } }, { caller }) {
    const { renewed, subscription } = yield* changeAutoRenew(caller, id, autoRenew).pipe(
      Effect.catchTag("NotRenewable", ({ message }) => Effect.fail(new Refused({ status: 409, message })))
    )
    const expiresAt = subscription === undefined ? null : toTimestamp(subscription.expiresAt)
    return { instance_id: id, auto_renew: autoRenew, expires_at: expiresAt, renewed }
  }),
  activity: ({ params: { id }, query: { limit = TASKS_LIMIT_DEFAULT, offset = 0 } }, { caller }) =>
    activity(caller, id, { limit, offset }),
  ptr_records: ({ params: { id } }, { caller }) => ptrRecords(caller, id)
}
