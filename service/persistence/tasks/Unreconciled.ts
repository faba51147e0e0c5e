/** Failed tasks that left an operator something to reconcile, and the retention of all other ended ones. */
import type * as Effect from "effect/Effect"
import type { Lifecycle } from "../../contract/Words.ts"
import type { TaskType } from "../../domain/TaskType.ts"
import { among, type Row, update } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import type { Sql } from "../Sql.ts"
import { TASK, type Task } from "./Task.ts"

/** Selects the failed tasks of a type that need to be reconciled. The operations define these rules. */
export interface UnreconciledRule {
  readonly type: TaskType
  /** False: only its compensations and settlements need it, because its requester sees that the request failed. */
  readonly ofRequests: boolean
  /** The lifecycles of the instance in which the task still serves its purpose; undefined: all but `deleted`. */
  readonly lifecycles: ReadonlyArray<Lifecycle> | undefined
  /** Besides a repetition of the task, a later success of one of these types reconciles it. */
  readonly supersededBy: ReadonlyArray<TaskType>
}

type Rules = ReadonlyArray<UnreconciledRule>

export interface Unreconciled {
  /**
   * Failed tasks after which the upstream may differ from our record, and which were neither repeated nor abandoned:
   * newest first, from the first one before an id. They are never deleted.
   */
  readonly unreconciled: (rules: Rules, limit: number, before?: number) => Effect.Effect<ReadonlyArray<Task>>
  /** One of them. */
  readonly findUnreconciled: (rules: Rules, id: number) => Effect.Effect<Task | undefined>
  /** Ends the work on one of them: it counts as cancelled, for this reason. */
  readonly abandon: (id: number, reason: string) => Effect.Effect<void>
  /** Deletes ended tasks created until a moment, oldest first, at most `limit`; returns how many. */
  readonly deleteEnded: (rules: Rules, createdUntil: number, limit: number) => Effect.Effect<number>
}

/** When it fails, the machine may differ from our record. */
const mayDiffer = (rules: Rules): string => {
  const requests = rules.filter(({ ofRequests }) => ofRequests).map(({ type }) => type)
  return `t.kind = 'operation' AND (t.purpose <> 'request' OR t.type ${among(requests)})`
}

/** The instance is in a state in which the work is of use. */
const isRelevant = (rules: Rules): string => {
  const cases = rules.flatMap(({ lifecycles, type }) =>
    lifecycles === undefined ? [] : [`WHEN '${type}' THEN i.lifecycle ${among(lifecycles)}`]
  )
  return `CASE t.type ${cases.join(" ")} ELSE i.lifecycle <> 'deleted' END`
}

/** A later task repeats it and decides how it ends; or the customer has changed the same thing since. */
const isFollowed = (rules: Rules): string => {
  const cases = rules.flatMap(({ supersededBy, type }) =>
    supersededBy.length === 0 ? [] : [`WHEN '${type}' THEN n.type ${among(supersededBy)}`]
  )
  return `EXISTS (SELECT 1 FROM tasks n
    WHERE n.instance_id = t.instance_id AND n.id > t.id AND n.kind = 'operation' AND n.status <> 'cancelled' AND (
      (n.type = t.type AND n.purpose = t.purpose AND n.params = t.params
        AND (n.purpose <> 'settle' OR n.of_task_id = t.of_task_id))
      OR (n.status = 'succeeded' AND CASE t.type ${cases.join(" ")} END)))`
}

/** With the condition of the index over tasks with an error. */
const selecting = (rules: Rules): string =>
  `SELECT ${TASK.of("t")} FROM tasks t JOIN instances i ON i.id = t.instance_id
  WHERE t.status IN ('failed', 'cancelled') AND t.status = 'failed' AND ${mayDiffer(rules)} AND ${isRelevant(rules)}
    AND NOT ${isFollowed(rules)}`

/**
 * In the order of ids, which is the order of creation: no index is needed for it. The first task that is too young ends
 * the search; few older ones stay: those that are open, or may need to be reconciled.
 */
const deletion = (rules: Rules): string =>
  `DELETE FROM tasks WHERE id IN (SELECT t.id FROM tasks t
     WHERE t.status IN ('succeeded', 'failed', 'cancelled') AND NOT (t.status = 'failed' AND ${mayDiffer(rules)})
       AND t.id < coalesce((SELECT id FROM tasks WHERE created_at > ?1 ORDER BY id LIMIT 1), 9223372036854775807)
     ORDER BY t.id LIMIT ?2)`

/** When the oldest task was created, ended or not. */
export const OLDEST_CREATION = "SELECT created_at FROM tasks ORDER BY id LIMIT 1"

export const unreconciled = (sql: Sql["Service"]): Unreconciled => {
  return {
    // Run by operators, and once an hour: no statement stays prepared for them.
    unreconciled: (rules, limit, before = Number.MAX_SAFE_INTEGER) =>
      Rows.each(
        sql.all<Row>(`${selecting(rules)} AND t.id < ? ORDER BY t.id DESC LIMIT ?`)(before, limit),
        TASK.decode
      ),
    findUnreconciled: (rules, id) => Rows.optional(sql.one<Row>(`${selecting(rules)} AND t.id = ?`)(id), TASK.decode),
    abandon: update(sql, "UPDATE tasks SET status = 'cancelled', error = ?2 WHERE id = ?1 AND status = 'failed'"),
    deleteEnded: (rules, createdUntil, limit) => sql.run(deletion(rules))(createdUntil, limit)
  }
}
