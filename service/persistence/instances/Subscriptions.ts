/** Subscriptions: the paid period of each instance, and its renewal, grace and end. */
import type * as Effect from "effect/Effect"
import type { Power } from "../../domain/InstanceMachine.ts"
import type { Minor } from "../../domain/Money.ts"
import { columns, flag, selectAll, selectOne, update } from "../Columns.ts"
import { INFORMED_PRICE } from "../Orders.ts"
import * as Rows from "../Rows.ts"
import type { Sql } from "../Sql.ts"
import { OPEN } from "../tasks/Task.ts"
import type { Lifecycle } from "../../contract/Words.ts"

export interface Subscription {
  readonly instanceId: number
  readonly accountId: number
  readonly orderId: number
  /** Name of the plan, as it was sold. */
  readonly plan: string
  /** Price of a period, gross. */
  readonly price: Minor
  /** For periods that begin at `nextPriceFrom` or later; null if none is announced, or the mail is not sent yet. */
  readonly nextPrice: Minor | null
  readonly nextPriceFrom: number | null
  /** ISO 4217 code. */
  readonly currency: string
  /** All times are epoch milliseconds. This one is the anchor of the periods. */
  readonly paidFrom: number
  /** The end of the paid period. While a suspension is not charged, it lies later by the time since it began. */
  readonly expiresAt: number
  /** The time that its period has paused, in milliseconds, which `expiresAt` contains. */
  readonly pausedMillis: number
  /** True while a suspension is not charged: its period pauses. */
  readonly isFree: boolean
  /** Not renewed again before this moment; null unless the period that was paid last is over already. */
  readonly renewAfter: number | null
  readonly autoRenew: boolean
  readonly lifecycle: Lifecycle
  /** Also while it is expired: an operator has to end the suspension. */
  readonly suspended: boolean
  /** Its power when it expired; null unless it is expired. */
  readonly resumePower: Power | null
  /** Until when a top-up renews it; null unless it is expired, and its termination has not begun. */
  readonly graceUntil: number | null
  /** The time of its deletion, or of the next attempt; null unless the termination has begun, which is final. */
  readonly terminateAt: number | null
  /** True while an operation is open. */
  readonly busy: boolean
}

/** A schedule of instances; `DueTimes` has when the first of them falls due. */
export interface Due {
  /** Ids of instances that are due, earliest first, without those that have an open operation. */
  readonly ids: (now: number, limit: number) => Effect.Effect<ReadonlyArray<number>>
}

/** The next paid period. */
export type Renewal = Pick<Subscription, "expiresAt" | "pausedMillis" | "renewAfter">

export interface Subscriptions {
  readonly find: (instanceId: number) => Effect.Effect<Subscription | undefined>
  /** The paid periods that end of active instances, and of suspended ones that are charged. */
  readonly endings: Due
  /** The grace periods of expired instances that end, their terminations, and the retention of failed ones. */
  readonly deletions: Due
  /** The expired instances whose grace period ends after a moment, and not after another one. */
  readonly graceEnds: (after: number, until: number) => Effect.Effect<ReadonlyArray<Subscription>>
  /** The account's expired instances, earliest end first. */
  readonly expired: (accountId: number) => Effect.Effect<ReadonlyArray<Subscription>>
  /** Extends the paid period, and ends the grace period; active, or suspended if it was. */
  readonly renew: (subscription: Subscription, renewal: Renewal) => Effect.Effect<void>
  /** Begins the paid period now, instead of at the order. */
  readonly begin: (instanceId: number, from: number, expiresAt: number) => Effect.Effect<void>
  /** Cancels the paid period, because the deployment failed; the instance is listed until a moment. */
  readonly fail: (instanceId: number, listedUntil: number) => Effect.Effect<void>
  /** Expires an instance, and stores its power for its renewal. */
  readonly expire: (instanceId: number, graceUntil: number) => Effect.Effect<void>
  /** Sets the end of the paid period. */
  readonly setEnd: (instanceId: number, expiresAt: number) => Effect.Effect<void>
  readonly extendGrace: (instanceId: number, until: number) => Effect.Effect<void>
  /** Ends the grace period without a renewal; active, or suspended if it was. */
  readonly restore: (instanceId: number) => Effect.Effect<void>
  /** If true, the end of a period charges the next one. */
  readonly setAutoRenew: (instanceId: number, autoRenew: boolean) => Effect.Effect<void>
  /** Begins the termination, or sets the time of its next attempt: from now on nothing renews the instance. */
  readonly terminate: (instanceId: number, terminateAt: number) => Effect.Effect<void>
  readonly delete: (instanceId: number, at: number) => Effect.Effect<void>
}

const BUSY = `EXISTS (SELECT 1 FROM tasks t
  WHERE t.instance_id = i.id AND t.${OPEN})`

const SUBSCRIPTION = columns<Subscription>({
  instanceId: "i.id",
  accountId: "i.account_id",
  orderId: "i.order_id",
  plan: "s.name",
  price: "o.price",
  nextPrice: INFORMED_PRICE,
  nextPriceFrom: "o.next_price_from",
  currency: "s.currency",
  paidFrom: "coalesce(i.paid_from, i.created_at)",
  expiresAt: "i.expires_at",
  pausedMillis: "i.paused_millis",
  isFree: flag("CASE WHEN i.free_since IS NULL THEN 0 ELSE 1 END"),
  renewAfter: "i.renew_after",
  autoRenew: flag("i.auto_renew"),
  lifecycle: "i.lifecycle",
  suspended: flag("CASE WHEN i.suspended_reason IS NULL THEN 0 ELSE 1 END"),
  resumePower: "i.resume_power",
  graceUntil: "i.grace_until",
  terminateAt: "i.terminate_at",
  busy: flag(`CASE WHEN ${BUSY} THEN 1 ELSE 0 END`)
})

const SUBSCRIPTIONS = "FROM instances i JOIN orders o ON o.id = i.order_id JOIN sold_plans s ON s.id = o.sold_id"

/** A moment of instances, and which ones have it: the expression and the condition of an index. */
interface Schedule {
  readonly moment: string
  readonly condition: string
}

const ENDINGS: Schedule = {
  moment: "coalesce(i.renew_after, i.expires_at)",
  condition: "i.lifecycle IN ('active', 'suspended') AND i.expires_at IS NOT NULL AND i.free_since IS NULL"
}

const DELETIONS: Schedule = {
  moment: "coalesce(i.terminate_at, i.grace_until)",
  condition: "i.lifecycle IN ('expired', 'failed') AND coalesce(i.terminate_at, i.grace_until) IS NOT NULL"
}

/** Reads its index in order and stops at the first that is idle. */
const next = ({ condition, moment }: Schedule): string =>
  `SELECT ${moment} FROM instances i WHERE ${condition} AND NOT ${BUSY} ORDER BY ${moment} LIMIT 1`

export const NEXT_ENDING = next(ENDINGS)
export const NEXT_DELETION = next(DELETIONS)

const due = ({ all }: Sql["Service"], { condition, moment }: Schedule): Due => {
  const ids = all<[number]>(
    `SELECT i.id FROM instances i WHERE ${condition} AND ${moment} <= ? AND NOT ${BUSY}
     ORDER BY ${moment}, i.id LIMIT ?`
  )
  return { ids: (now, limit) => Rows.column(ids(now, limit)) }
}

export const subscriptions = (sql: Sql["Service"]): Subscriptions => {
  const set = (assignments: string) => update(sql, `UPDATE instances SET ${assignments} WHERE id = ?1`)
  const restoring = `grace_until = NULL, resume_power = NULL,
    lifecycle = CASE WHEN suspended_reason IS NULL THEN 'active' ELSE 'suspended' END`
  const renew = set(`expires_at = ?2, renew_after = ?3, paused_millis = ?4, ${restoring}`)
  const autoRenew = set("auto_renew = ?2")
  return {
    find: selectOne(sql, SUBSCRIPTION, `${SUBSCRIPTIONS} WHERE i.id = ? AND i.expires_at IS NOT NULL`),
    endings: due(sql, ENDINGS),
    deletions: due(sql, DELETIONS),
    graceEnds: selectAll(
      sql,
      SUBSCRIPTION,
      `${SUBSCRIPTIONS} WHERE ${DELETIONS.condition} AND ${DELETIONS.moment} > ? AND ${DELETIONS.moment} <= ?
         AND i.lifecycle = 'expired' AND i.terminate_at IS NULL ORDER BY ${DELETIONS.moment}, i.id`
    ),
    expired: selectAll(
      sql,
      SUBSCRIPTION,
      `${SUBSCRIPTIONS} WHERE i.account_id = ? AND i.lifecycle = 'expired' ORDER BY i.expires_at, i.id`
    ),
    renew: ({ instanceId }, { expiresAt, pausedMillis, renewAfter }) =>
      renew(instanceId, expiresAt, renewAfter, pausedMillis),
    begin: set("paid_from = ?2, expires_at = ?3"),
    fail: set("lifecycle = 'failed', auto_renew = 0, expires_at = NULL, grace_until = ?2"),
    expire: set("lifecycle = 'expired', resume_power = power, grace_until = ?2"),
    extendGrace: set("grace_until = ?2"),
    setEnd: set("expires_at = ?2, renew_after = NULL"),
    restore: set(restoring),
    setAutoRenew: (id, on) => autoRenew(id, Number(on)),
    terminate: set("lifecycle = 'expired', auto_renew = 0, grace_until = NULL, resume_power = NULL, terminate_at = ?2"),
    delete: set("lifecycle = 'deleted', deleted_at = ?2")
  }
}
