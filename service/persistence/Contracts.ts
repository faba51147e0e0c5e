/** The facts about the contracts of an account besides its instances: prices to come, suspensions, and ended ones. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Minor } from "../domain/Money.ts"
import { columns, flag, selectAll } from "./Columns.ts"
import { INFORMED_PRICE } from "./Orders.ts"
import { Sql } from "./Sql.ts"

/** An instance with another price to come, or a suspension. */
export interface Contract {
  readonly instanceId: number
  readonly price: Minor
  /** For periods that begin at `nextPriceFrom` or later; null if none is announced. */
  readonly nextPrice: Minor | null
  readonly nextPriceFrom: number | null
  readonly isSuspended: boolean
  /** True while its suspension is not charged. */
  readonly isFree: boolean
}

/** An instance that was deleted, or is being deleted. */
export interface EndedContract {
  readonly instanceId: number
  readonly hostname: string | null
  /** Name of the plan, as it was sold. */
  readonly plan: string
  /** Epoch milliseconds; null while it is being deleted. */
  readonly deletedAt: number | null
  /** The end of the period that was paid. */
  readonly expiresAt: number
  /** True if an operator ended it; else it was not renewed. */
  readonly byHost: boolean
}

export class Contracts extends Context.Service<Contracts, {
  readonly open: (accountId: number) => Effect.Effect<ReadonlyArray<Contract>>
  /** Those that were deleted after a moment, newest first. */
  readonly ended: (accountId: number, after: number, limit: number) => Effect.Effect<ReadonlyArray<EndedContract>>
}>()("@pulumi-vps/service/Contracts") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => ({
      open: selectAll(sql, CONTRACT, OPEN),
      ended: selectAll(sql, ENDED_CONTRACT, ENDED)
    }))
  )
}

const CONTRACT = columns<Contract>({
  instanceId: "i.id",
  price: "o.price",
  nextPrice: INFORMED_PRICE,
  nextPriceFrom: "o.next_price_from",
  isSuspended: flag("CASE WHEN i.suspended_reason IS NULL THEN 0 ELSE 1 END"),
  isFree: flag("CASE WHEN i.free_since IS NULL THEN 0 ELSE 1 END")
})

const OPEN = `FROM instances i JOIN orders o ON o.id = i.order_id
  WHERE i.account_id = ? AND i.lifecycle IN ('active', 'suspended', 'expired')
    AND (o.next_price IS NOT NULL OR i.suspended_reason IS NOT NULL) ORDER BY i.id`

const ENDED_CONTRACT = columns<EndedContract>({
  instanceId: "i.id",
  hostname: "i.hostname",
  plan: "s.name",
  deletedAt: "CASE WHEN i.lifecycle = 'deleted' THEN i.deleted_at END",
  expiresAt: "i.expires_at",
  byHost: flag(`CASE WHEN EXISTS (
    SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.type = 'terminate' AND t.actor = 'admin') THEN 1 ELSE 0 END`)
})

/** One whose deployment failed has no paid period. */
const ENDED = `FROM instances i JOIN orders o ON o.id = i.order_id JOIN sold_plans s ON s.id = o.sold_id
  WHERE i.account_id = ?1 AND i.expires_at IS NOT NULL
    AND (i.lifecycle = 'deleted' AND i.deleted_at > ?2 OR i.lifecycle = 'expired' AND i.terminate_at IS NOT NULL)
  ORDER BY i.id DESC LIMIT ?3`
