/** Instances that have changed, an instance's renewal, labels, and names of its addresses, and who did what on it. */
import * as Effect from "effect/Effect"
import { TASKS_LIMIT_DEFAULT } from "@pulumi-vps/contract/Monitoring"
import { changeAutoRenew } from "../../../billing/Renewals.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { ptrRecords } from "../../../instances/Monitoring.ts"
import { activity, findInstances } from "../../../instances/Read.ts"
import { labelsOf, setLabels } from "../../../people/Labels.ts"
import { resetPassword } from "../../../operations/ResetPassword.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { type Member, Refused } from "../Visitor.ts"

type Calls = "instances" | "labels" | "set_labels" | "reset_password" | "auto_renew" | "activity" | "ptr_records"

export const instances: Pick<PanelHandlers<"account", Member>, Calls> = {
  instances: ({ query: { ids } }, { caller }) => findInstances(caller, ids.split(",").map(Number)),
  auto_renew: Effect.fnUntraced(function*({ params: { id }, payload: { auto_renew: autoRenew } }, { caller }) {
    const { renewed, subscription } = yield* changeAutoRenew(caller, id, autoRenew).pipe(
      Effect.catchTag("NotRenewable", ({ message }) => Effect.fail(new Refused({ status: 409, message })))
    )
    const expiresAt = subscription === undefined ? null : toTimestamp(subscription.expiresAt)
    return { instance_id: id, auto_renew: autoRenew, expires_at: expiresAt, renewed }
  }),
  reset_password: ({ params: { id }, payload: { mail } }, { caller }) => resetPassword(caller, id, { mail }),
  labels: (_, { caller: { accountId } }) =>
    Effect.map(labelsOf(accountId), (all) => [...all].map(([id, labels]) => ({ instance_id: id, labels }))),
  set_labels: ({ params: { id }, payload: { labels } }, member) =>
    Effect.map(setLabels(id, labels, member), (labels) => ({ instance_id: id, labels })),
  activity: ({ params: { id }, query: { limit = TASKS_LIMIT_DEFAULT, offset = 0 } }, { caller }) =>
    activity(caller, id, { limit, offset }),
  ptr_records: ({ params: { id } }, { caller }) => ptrRecords(caller, id)
}
