import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Power } from "../../domain/InstanceStatus.ts"
import { Suspensions } from "../Suspensions.ts"
import { Database } from "./Database.ts"

const SUSPEND = `UPDATE instances SET lifecycle = 'suspended', suspended_reason = ?, suspended_power = power
  WHERE id = ? AND lifecycle = 'active'`

// Who has expired meanwhile comes back with its renewal: to the power that it had before it was suspended.
const LIFT = `UPDATE instances SET suspended_reason = NULL,
    resume_power = CASE lifecycle WHEN 'expired' THEN suspended_power ELSE resume_power END,
    lifecycle = CASE lifecycle WHEN 'suspended' THEN 'active' ELSE lifecycle END
  WHERE id = ? AND suspended_reason IS NOT NULL RETURNING coalesce(suspended_power, 'off')`

/** Prepared when they are used, which is seldom. */
const make = Effect.map(Database, (db) =>
  Suspensions.of({
    suspend: (id, reason) => Effect.sync(() => void db.run(SUSPEND)(reason, id)),
    lift: (id) => Effect.sync(() => db.one<[Power]>(LIFT)(id)?.[0])
  }))

export const layer: Layer.Layer<Suspensions, never, Database> = Layer.effect(Suspensions, make)
