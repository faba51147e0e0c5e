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
  /** Records that no process has run since the newest time, unless another process has begun since. */
  readonly beginOutage: (newest: number) => Effect.Effect<void>
  /**
   * Ends an outage, or else a doubt about the time, at a time. Owners could not pay meanwhile: grace periods that had
   * not ended when it began continue for as long as it took. Returns its length in milliseconds; 0 without one.
   */
  readonly endOutage: (time: number) => Effect.Effect<number>
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
      const beginOutage = sql.run(
        "UPDATE service_clock SET stopped_at = newest WHERE id = 1 AND newest = ? AND stopped_at IS NULL"
      )
      const outage = sql.one<[since: number | null]>(
        "SELECT coalesce(stopped_at, doubted_since) FROM service_clock WHERE id = 1"
      )
      const endOutage = sql.run(
        `UPDATE service_clock SET stopped_at = NULL, doubted_since = NULL, doubt = NULL
         WHERE id = 1 AND coalesce(stopped_at, doubted_since) = ?`
      )
      const extend = sql.run(
        `UPDATE instances SET grace_until = grace_until + ?1
         WHERE lifecycle = 'expired' AND terminate_at IS NULL AND grace_until > ?2`
      )
      return {
        beginOutage: (newest) => Effect.asVoid(beginOutage(newest)),
        endOutage: Effect.fnUntraced(function*(time) {
          const since = (yield* outage())?.[0] ?? null
          // Another process may have ended it.
          if (since === null || (yield* endOutage(since)) !== 1 || time <= since) return 0
          yield* extend(time - since, since)
          return time - since
        }),
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
