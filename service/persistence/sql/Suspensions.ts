import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Power } from "../../domain/InstanceStatus.ts"
import { Suspensions } from "../Suspensions.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

const SUSPEND = `UPDATE instances SET lifecycle = 'suspended', suspended_reason = ?, suspended_power = power
  WHERE id = ? AND lifecycle = 'active'`

// Who has expired meanwhile comes back with its renewal: to the power that it had before it was suspended.
const LIFT = `UPDATE instances SET suspended_reason = NULL,
    resume_power = CASE lifecycle WHEN 'expired' THEN suspended_power ELSE resume_power END,
    lifecycle = CASE lifecycle WHEN 'suspended' THEN 'active' ELSE lifecycle END
  WHERE id = ? AND suspended_reason IS NOT NULL RETURNING coalesce(suspended_power, 'off')`

const make = Effect.map(Sql, (sql) => {
  const suspend = sql.run(SUSPEND)
  const lift = sql.one<[Power]>(LIFT)
  return Suspensions.of({
    suspend: (id, reason) => Effect.asVoid(suspend(reason, id)),
    lift: (id) => Rows.optionalValue(lift(id))
  })
})

export const layer: Layer.Layer<Suspensions, never, Sql> = Layer.effect(Suspensions, make)
