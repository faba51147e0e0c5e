/** Operations that the simulated upstream accepted. */
import * as Effect from "effect/Effect"
import { columns, flag, placeholders, selectAll, selectOne, update } from "../Columns.ts"
import type { Sql } from "../Sql.ts"

export interface SimulatedOperation {
  readonly key: string
  readonly tag: string
  readonly type: string
  /** Name of the image that it creates, changes or restores. */
  readonly subject: string | null
  readonly acceptedAt: number
  /** Another operation preempted it. */
  readonly abandoned: boolean
}

export interface Operations {
  readonly operation: (key: string) => Effect.Effect<SimulatedOperation | undefined>
  /** Deployments that are the last operation of their machine. */
  readonly deployments: Effect.Effect<ReadonlyArray<SimulatedOperation>>
  /** True if the machine was terminated, unless that was so long ago that its key has been deleted. */
  readonly isTerminated: (tag: string) => Effect.Effect<boolean>
  readonly accept: (operation: SimulatedOperation) => Effect.Effect<void>
  /** Clears the last operation of a machine, which has finished. */
  readonly release: (tag: string) => Effect.Effect<void>
  /** Marks an operation as preempted: it will never finish. */
  readonly abandon: (key: string) => Effect.Effect<void>
  /** Deletes operations that were accepted before a moment. */
  readonly deleteBefore: (at: number) => Effect.Effect<void>
}

const OPERATION = columns<SimulatedOperation>({
  key: "key",
  tag: "tag",
  type: "type",
  subject: "subject",
  acceptedAt: "accepted_at",
  abandoned: flag("abandoned")
})

export const operations = (sql: Sql["Service"]): Operations => {
  const deployments = selectAll(
    sql,
    columns<SimulatedOperation>(OPERATION.definition("o")),
    `FROM simulated_operations o JOIN simulated_machines m ON m.operation = o.key WHERE o.type = 'provision'
     ORDER BY m.id`
  )
  const accept = update(
    sql,
    `INSERT INTO simulated_operations (${OPERATION.sql}) VALUES (${placeholders(OPERATION.names.length)})`
  )
  const termination = selectOne(
    sql,
    OPERATION,
    "FROM simulated_operations WHERE tag = ? AND type = 'terminate' LIMIT 1"
  )
  return {
    operation: selectOne(sql, OPERATION, "FROM simulated_operations WHERE key = ?"),
    deployments: deployments(),
    isTerminated: (tag) => Effect.map(termination(tag), (found) => found !== undefined),
    release: update(sql, "UPDATE simulated_machines SET operation = '' WHERE tag = ?"),
    accept: (operation) => accept(...OPERATION.encode(operation)),
    abandon: update(sql, "UPDATE simulated_operations SET abandoned = 1 WHERE key = ?"),
    deleteBefore: update(sql, "DELETE FROM simulated_operations WHERE accepted_at < ?")
  }
}
