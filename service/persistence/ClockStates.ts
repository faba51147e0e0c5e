/** The stored state of the service's clock. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClockState } from "../domain/ClockDoubt.ts"
import { Sql } from "./Sql.ts"

export class ClockStates extends Context.Service<ClockStates, {
  readonly find: Effect.Effect<ClockState>
  /** Stores a state, unless an operator has confirmed the time since it was read. The newest time never decreases. */
  readonly store: (state: ClockState) => Effect.Effect<void>
  /** Ends the doubt at a time, in epoch milliseconds, which may be earlier than the newest. */
  readonly confirm: (time: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/ClockStates") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const find = sql.one<Row>(
        "SELECT newest, doubted_since, doubt, source_ahead, confirmations FROM service_clock WHERE id = 1"
      )
      const store = sql.run(
        `INSERT INTO service_clock (id, newest, doubted_since, doubt, source_ahead, confirmations)
         VALUES (1, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET
           newest = CASE WHEN excluded.newest > service_clock.newest THEN excluded.newest ELSE service_clock.newest END,
           doubted_since = excluded.doubted_since, doubt = excluded.doubt, source_ahead = excluded.source_ahead
         WHERE service_clock.confirmations = excluded.confirmations`
      )
      const confirm = sql.run(
        `INSERT INTO service_clock (id, newest, source_ahead, confirmations) VALUES (1, ?, 0, 1)
         ON CONFLICT (id) DO UPDATE SET newest = excluded.newest, doubted_since = NULL, doubt = NULL,
           source_ahead = 0, confirmations = service_clock.confirmations + 1`
      )
      return {
        find: Effect.map(find(), (row) => row === undefined ? NEVER : decode(row)),
        store: ({ confirmations, doubt, newest, sourceAhead }) =>
          Effect.asVoid(store(newest, doubt?.since ?? null, doubt?.reason ?? null, sourceAhead, confirmations)),
        confirm: (time) => Effect.asVoid(confirm(time))
      }
    })
  )
}

type Row = [newest: number, since: number | null, reason: string | null, sourceAhead: number, confirmations: number]

/** The state before the first. */
const NEVER: ClockState = { newest: 0, doubt: null, sourceAhead: 0, confirmations: 0 }

const decode = ([newest, since, reason, sourceAhead, confirmations]: Row): ClockState => ({
  newest,
  doubt: since === null || reason === null ? null : { since, reason },
  sourceAhead,
  confirmations
})
