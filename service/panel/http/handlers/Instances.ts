/** Instances that have changed, an instance's renewal, labels, and names of its addresses, and who did what on it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TASKS_LIMIT_DEFAULT } from "@pulumi-vps/contract/Monitoring"
import { changeAutoRenew } from "../../../billing/Renewals.ts"
import { type Minor, toAmount } from "../../../domain/Money.ts"
import { toOptionalTimestamp, toTimestamp } from "../../../domain/Timestamp.ts"
import { price } from "../../../domain/Vat.ts"
import { ownerOf } from "../../../instances/Admission.ts"
import { announcementFields, announcementsOf } from "../../../instances/Announcements.ts"
import { Contracts } from "../../../persistence/Contracts.ts"
import { ptrRecords } from "../../../instances/Monitoring.ts"
import { activity, findInstances } from "../../../instances/Read.ts"
import { labelsOf, setLabels } from "../../../people/Labels.ts"
import { resetPassword } from "../../../operations/ResetPassword.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { type Member, Refused } from "../Visitor.ts"

const DAY_MILLIS = 86_400_000

/** Days in which the list says what was deleted, and most instances of which it does. */
const ENDED_DAYS = 30
const ENDED_MAX = 20

const contractsOf = Effect.fnUntraced(function*({ accountId }: Member["caller"]) {
  const now = yield* Clock.currentTimeMillis
  const contracts = yield* Contracts
  const { vat } = yield* ownerOf({ accountId })
  const open = yield* contracts.open(accountId)
  const charge = (gross: Minor) => toAmount(price(gross, vat).charge)
  return {
    prices: open.flatMap(({ instanceId, nextPrice, nextPriceFrom }) =>
      nextPrice === null || nextPriceFrom === null
        ? []
        : [{ instance_id: instanceId, charge: charge(nextPrice), from: toTimestamp(nextPriceFrom) }]
    ),
    suspended: open.filter(({ isSuspended }) => isSuspended).map(({ instanceId, isFree, price: gross }) => ({
      instance_id: instanceId,
      charge: isFree ? null : charge(gross)
    })),
    ended: (yield* contracts.ended(accountId, now - ENDED_DAYS * DAY_MILLIS, ENDED_MAX)).map((one) => ({
      instance_id: one.instanceId,
      hostname: one.hostname,
      plan: one.plan,
      deleted_at: toOptionalTimestamp(one.deletedAt),
      expired_at: toTimestamp(one.expiresAt),
      by_host: one.byHost
    }))
  }
})

const announcements = Effect.fnUntraced(function*(account: Member["caller"]) {
  const now = yield* Clock.currentTimeMillis
  return (yield* announcementsOf(account)).map(({ instances, ...one }) => ({
    ...announcementFields(one),
    version: one.version,
    running: one.startsAt <= now,
    instances: instances === null ? null : instances.map(({ hostname, instanceId: id }) => ({ id, hostname }))
  }))
})

type Calls =
  | "instances"
  | "announcements"
  | "contracts"
  | "labels"
  | "set_labels"
  | "reset_password"
  | "auto_renew"
  | "activity"
  | "ptr_records"

export const instances: Pick<PanelHandlers<"account", Member>, Calls> = {
  instances: ({ query: { ids } }, { caller }) => findInstances(caller, ids.split(",").map(Number)),
  contracts: (_, { caller }) => contractsOf(caller),
  announcements: (_, { caller }) => announcements(caller),
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
