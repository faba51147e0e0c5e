/** Instances: their wire records, and the state that operations read and change. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Instance } from "@pulumi-vps/contract/Instance"
import type { BootMode, InstanceState, Power } from "../domain/InstanceMachine.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, flag, optional, selectAll, selectOne, update } from "./Columns.ts"
import { type NewInstance, newView, toInstance, VIEW, VIEWED_INSTANCES } from "./instances/InstanceView.ts"
import { type Subscriptions, subscriptions } from "./instances/Subscriptions.ts"
import { machineTag, NewTagSuffix } from "./MachineTag.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { JOIN_OPEN_TASK } from "./tasks/Task.ts"

/** An instance as operations read it. */
export interface StoredInstance extends InstanceState {
  readonly id: number
  readonly accountId: number
  readonly orderId: number
  readonly planId: number
  /** The plan as it was sold. */
  readonly soldId: number
  /** Of the plan. */
  readonly category: string
  /** Price of a period, gross, in minor units. */
  readonly price: Minor
  readonly hostname: string | null
  readonly os: string
  /** The reason of a suspension, which the customer sees; null otherwise. */
  readonly suspendedReason: string | null
  /** The ISO in the virtual drive. */
  readonly isoId: number | null
  readonly createdAt: number
  /** The anchor of its periods: the order, or the end of a deployment that took long. */
  readonly paidFrom: number
  readonly expiresAt: number | null
  /** The time that its period has paused, in milliseconds, which `expiresAt` contains. */
  readonly pausedMillis: number
  readonly autoRenew: boolean
  /** Until when a top-up renews an expired one, or a failed one stays in the list; null otherwise. */
  readonly graceUntil: number | null
  /** The time of its deletion, or of the next attempt; null unless the termination has begun, which is final. */
  readonly terminateAt: number | null
  /** True while its deployment waits for an operator's approval. */
  readonly held: boolean
  /** Of its machine, at the upstream. */
  readonly tag: string
  readonly providerId: string | null
  readonly ipv4: string | null
  readonly ipv6: string | null
  readonly providerData: string | null
}

/** The operating system on a machine. */
export interface InstalledSystem {
  /** Slug of the image. */
  readonly os: string
  readonly hostname: string
  /** JSON text: hostname, os, node, ipv6. */
  readonly providerData: string
}

/** The result of a deployment. */
export interface Deployment {
  readonly providerId: string
  readonly ipv4: string
  readonly ipv6: string | null
  /** JSON text: hostname, os, node, ipv6. */
  readonly providerData: string
  /** Epoch milliseconds; null when it is not backed up. */
  readonly nextBackupAt: number | null
}

interface Views {
  /** Returns the record that `show` returns once the provision task is queued, so that a create need not read it. */
  readonly insert: (instance: NewInstance) => Effect.Effect<Instance>
  /** The account's own instance as on the wire; undefined when it is deleted, another account's, or absent. */
  readonly show: (accountId: number, id: number) => Effect.Effect<Instance | undefined>
  /** Like `show`, but also when it is deleted: a replayed create answers with the instance that it bought. */
  readonly showAny: (accountId: number, id: number) => Effect.Effect<Instance | undefined>
  /** The account's instances that are not deleted, by id. */
  readonly list: (accountId: number) => Effect.Effect<ReadonlyArray<Instance>>
}

export interface Suspension {
  /** The customer sees it. */
  readonly reason: string
  /** Only operators see it. */
  readonly note: string | null
  /** The moment at which its paid period pauses, in epoch milliseconds; null if it is charged as before. */
  readonly freeSince: number | null
  /** True if its account is frozen, whose end lifts the suspension. */
  readonly frozen: boolean
}

interface Changes {
  /** Active and powered on from now on. */
  readonly setDeployed: (id: number, deployment: Deployment) => Effect.Effect<void>
  /** On: it has booted the mode that is set. */
  readonly setPower: (id: number, power: Power) => Effect.Effect<void>
  readonly setBootMode: (id: number, bootMode: BootMode) => Effect.Effect<void>
  readonly setSystem: (id: number, system: InstalledSystem) => Effect.Effect<void>
  /** Null empties the drive. */
  readonly setIso: (id: number, isoId: number | null) => Effect.Effect<void>
  readonly setHostname: (id: number, hostname: string, providerData: string) => Effect.Effect<void>
  /** Suspends an active instance, and stores its power for the end of the suspension. */
  readonly suspend: (id: number, suspension: Suspension) => Effect.Effect<void>
  /**
   * Ends a suspension and returns the power before it. An expired instance stays expired, and gets that power when it
   * is renewed. The time of a suspension that is not charged moves the end of its period. Undefined when it was not
   * suspended.
   */
  readonly unsuspend: (id: number, at: number) => Effect.Effect<Power | undefined>
  /** Ids of the instances that were suspended because their account is frozen. */
  readonly frozen: (accountId: number) => Effect.Effect<ReadonlyArray<number>>
}

export class Instances extends Context.Service<
  Instances,
  Views & Changes & {
    /** Deleted ones too. */
    readonly find: (id: number) => Effect.Effect<StoredInstance | undefined>
    readonly subscriptions: Subscriptions
  }
>()("@pulumi-vps/service/Instances") {
  static readonly layer = Layer.effect(
    this,
    Effect.zipWith(Sql, NewTagSuffix, (sql, suffix) => ({
      ...views(sql, suffix),
      ...changes(sql),
      find: selectOne(sql, STORED, STORED_INSTANCES),
      subscriptions: subscriptions(sql)
    }))
  )
}

const STORED = columns<StoredInstance>({
  id: "i.id",
  accountId: "i.account_id",
  orderId: "i.order_id",
  planId: "o.plan_id",
  soldId: "o.sold_id",
  lifecycle: "i.lifecycle",
  power: "i.power",
  bootMode: "i.boot_mode",
  booted: "i.booted",
  task: optional("t.type"),
  hostname: "i.hostname",
  os: "i.os",
  suspendedReason: "i.suspended_reason",
  providerId: "i.provider_id",
  ipv4: "i.ipv4",
  ipv6: "i.ipv6",
  providerData: "i.provider_data",
  category: "s.category",
  price: "o.price",
  isoId: "i.iso_id",
  createdAt: "i.created_at",
  paidFrom: "coalesce(i.paid_from, i.created_at)",
  expiresAt: "i.expires_at",
  pausedMillis: "i.paused_millis",
  autoRenew: flag("i.auto_renew"),
  graceUntil: "i.grace_until",
  terminateAt: "i.terminate_at",
  tag: machineTag("i"),
  held: flag("CASE WHEN t.status = 'queued' AND t.run_at IS NULL THEN 1 ELSE 0 END")
})

const STORED_INSTANCES = `FROM instances i JOIN orders o ON o.id = i.order_id JOIN sold_plans s ON s.id = o.sold_id
  ${JOIN_OPEN_TASK}
  WHERE i.id = ?`

const views = (sql: Sql["Service"], suffix: () => string): Views => {
  const insert = sql.insert(
    `INSERT INTO instances (account_id, order_id, lifecycle, power, boot_mode, hostname, os, auto_renew, expires_at,
       created_at, tag_suffix) VALUES (?, ?, 'pending', 'off', 'disk', ?, ?, 1, ?, ?, ?)`
  )
  const one = selectOne(sql, VIEW, `${VIEWED_INSTANCES} WHERE i.id = ? AND i.account_id = ?`)
  const list = selectAll(
    sql,
    VIEW,
    `${VIEWED_INSTANCES} WHERE i.account_id = ? AND i.lifecycle <> 'deleted' ORDER BY i.id`
  )
  const show = (accountId: number, id: number) => Rows.optional(one(id, accountId), toInstance)
  const isDeleted = (instance: Instance | undefined) => instance?.status === "deleted"
  return {
    insert: (i) =>
      Effect.map(
        insert(i.account.id, i.orderId, i.hostname, i.os, i.expiresAt, i.at, suffix()),
        (id) => toInstance(newView(id, i))
      ),
    show: (accountId, id) => Effect.map(show(accountId, id), (instance) => isDeleted(instance) ? undefined : instance),
    showAny: show,
    list: (accountId) => Rows.each(list(accountId), toInstance)
  }
}

const SUSPEND = `UPDATE instances SET lifecycle = 'suspended', suspended_reason = ?2, suspended_note = ?3,
    suspended_power = power, free_since = ?4, frozen = ?5
  WHERE id = ?1 AND lifecycle = 'active'`

// An instance that has expired meanwhile is powered by its renewal, as it was before the suspension.
const UNSUSPEND = `UPDATE instances SET suspended_reason = NULL, suspended_note = NULL, frozen = 0,
    expires_at = CASE WHEN free_since < ?2 THEN expires_at + (?2 - free_since) ELSE expires_at END,
    paused_millis = CASE WHEN free_since < ?2 THEN paused_millis + (?2 - free_since) ELSE paused_millis END,
    free_since = NULL,
    resume_power = CASE lifecycle WHEN 'expired' THEN suspended_power ELSE resume_power END,
    lifecycle = CASE lifecycle WHEN 'suspended' THEN 'active' ELSE lifecycle END
  WHERE id = ?1 AND suspended_reason IS NOT NULL RETURNING coalesce(suspended_power, 'off')`

const changes = (sql: Sql["Service"]): Changes => {
  const set = (assignments: string) => update(sql, `UPDATE instances SET ${assignments} WHERE id = ?1`)
  const deployed = set(
    `lifecycle = 'active', power = 'on', provider_id = ?2, ipv4 = ?3, ipv6 = ?4, provider_data = ?5,
       next_backup_at = ?6`
  )
  const system = set("os = ?2, hostname = ?3, provider_data = ?4")
  const suspend = update(sql, SUSPEND)
  const unsuspend = sql.one<[Power]>(UNSUSPEND)
  const frozen = sql.all<[number]>(
    "SELECT id FROM instances WHERE account_id = ? AND frozen = 1 AND lifecycle <> 'deleted' ORDER BY id"
  )
  return {
    setDeployed: (id, d) => deployed(id, d.providerId, d.ipv4, d.ipv6, d.providerData, d.nextBackupAt),
    setBootMode: set("boot_mode = ?2"),
    setSystem: (id, s) => system(id, s.os, s.hostname, s.providerData),
    setIso: set("iso_id = ?2"),
    setPower: set("power = ?2, booted = CASE ?2 WHEN 'on' THEN boot_mode ELSE booted END"),
    setHostname: set("hostname = ?2, provider_data = ?3"),
    suspend: (id, { freeSince, frozen, note, reason }) => suspend(id, reason, note, freeSince, Number(frozen)),
    unsuspend: (id, at) => Rows.optionalValue(unsuspend(id, at)),
    frozen: (accountId) => Rows.column(frozen(accountId))
  }
}
