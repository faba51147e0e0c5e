/** Leases for work that one process does for all of them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { updateOne } from "./Columns.ts"
import { ReplicaBus } from "./ReplicaBus.ts"
import { Sql } from "./Sql.ts"
import { Transaction } from "./Transaction.ts"

export class JobLeases extends Context.Service<JobLeases, {
  /**
   * Takes or extends a lease; false while another process holds it. One that would last longer than two such leases was
   * taken while the time was wrong, and does not count.
   */
  readonly take: (name: string, holder: string, now: number, until: number) => Effect.Effect<boolean>
  /** The names of the leases that are held, of those that begin with a text. */
  readonly held: (prefix: string, now: number) => Effect.Effect<ReadonlyArray<string>>
}>()("@pulumi-vps/service/JobLeases") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const take = updateOne(
        sql,
        `INSERT INTO leases (name, holder, held_until) VALUES (?1, ?2, ?4)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE leases.held_until <= ?3 OR leases.held_until > 2 * ?4 - ?3 OR leases.holder = excluded.holder`
      )
      const held = sql.all<[string]>(
        "SELECT name FROM leases WHERE held_until > ?2 AND substr(name, 1, length(?1)) = ?1"
      )
      return {
        take,
        held: (prefix, now) => Effect.map(held(prefix, now), (rows) => rows.map(([name]) => name))
      }
    })
  )
}

/** A lease outlives this many intervals, so that a slow run does not lose it. */
const INTERVALS_PER_LEASE = 3

/**
 * Runs an action at once and at multiples of an interval while the scope is open, in one process at a time. A run
 * that outlasts its lease is interrupted. `idle` runs instead while another process does the work.
 */
export const repeatAlone = Effect.fnUntraced(
  function*<E, R>(name: string, millis: number, action: Effect.Effect<void, E, R>, idle: Effect.Effect<void>) {
    const { ownsDatabase } = yield* ReplicaBus
    const leases = yield* JobLeases
    const { run } = yield* Transaction
    const holder = randomUUID()
    const leaseMillis = INTERVALS_PER_LEASE * millis
    const take = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => run(leases.take(name, holder, now, now + leaseMillis))
    )
    const leased = Effect.flatMap(take, (ours) => ours ? Effect.timeoutOption(action, leaseMillis) : idle)
    const next = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(millis - now % millis))
    const failed = (reason: unknown) => Effect.logWarning(`The work "${name}" failed, and will be repeated`, reason)
    const once = (ownsDatabase ? Effect.asVoid(action) : leased).pipe(
      Effect.catch(failed),
      Effect.catchDefect(failed)
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(once, next)))
  }
)
