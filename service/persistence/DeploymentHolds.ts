/**
 * Deployments wait while the database may lack instances that have machines: after a restore, or a failover to a server
 * that lagged.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectOne } from "./Columns.ts"
import { type Sequence, Sql } from "./Sql.ts"

export type { Sequence }

export interface DeploymentHold {
  /** The reason why the database may be older than the machines. */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly since: number
}

export class DeploymentHolds extends Context.Service<DeploymentHolds, {
  readonly find: Effect.Effect<DeploymentHold | undefined>
  /** Does nothing while there is one. */
  readonly begin: (hold: DeploymentHold) => Effect.Effect<void>
  /** False if there is none. */
  readonly end: Effect.Effect<boolean>
  /** The last ids that tables have assigned. */
  readonly lastIds: Effect.Effect<ReadonlyArray<Sequence>>
  /** New rows of tables get ids after these. Does nothing where ids are further. */
  readonly advanceIds: (lasts: ReadonlyArray<Sequence>) => Effect.Effect<void>
}>()("@pulumi-vps/service/DeploymentHolds") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const find = selectOne(sql, HOLD, "FROM deployment_hold WHERE id = 1")
      const begin = sql.run(
        "INSERT INTO deployment_hold (id, reason, since) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING"
      )
      const end = sql.run("DELETE FROM deployment_hold")
      const { advance, sequences } = sql.dialect.tables(sql)
      return {
        find: find(),
        begin: ({ reason, since }) => Effect.asVoid(begin(reason, since)),
        end: Effect.map(end(), (count) => count > 0),
        lastIds: sequences,
        advanceIds: advance
      }
    })
  )
}

const HOLD = columns<DeploymentHold>({ reason: "reason", since: "since" })
