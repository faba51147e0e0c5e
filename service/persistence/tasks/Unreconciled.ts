/** Failed tasks that left an operator something to reconcile, and the retention of all other ended ones. */
import type * as Effect from "effect/Effect"
import { type Row, update } from "../Columns.ts"
import type { TaskType } from "../../domain/TaskType.ts"
import * as Rows from "../Rows.ts"
import type { Dialect, Sql } from "../Sql.ts"
import { TASK, type Task } from "./Task.ts"
import type { Lifecycle } from "../../contract/Words.ts"

/** Selects the failed tasks of a type that need to be reconciled. The operations define these rules. */
export interface UnreconciledRule {
  readonly type: TaskType
  /** Only tasks with this flag in their parameters; undefined: all. */
  readonly flag: string | undefined
  /** The lifecycles of the instance in which the task still serves its purpose; undefined: all but `deleted`. */
  readonly lifecycles: ReadonlyArray<Lifecycle> | undefined
  /** Besides a repetition of the task, a later success of one of these types reconciles it. */
  readonly settledBy: ReadonlyArray<TaskType>
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
  /** When the oldest task was created, ended or not, in epoch milliseconds. */
  readonly oldestCreation: Effect.Effect<number | undefined>
  /** Deletes ended tasks created until a moment, oldest first, at most `limit`; returns how many. */
  readonly deleteEnded: (rules: Rules, createdUntil: number, limit: number) => Effect.Effect<number>
}

/** A condition that holds if one of them does. */
const any = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 0 ? "1 = 0" : `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`

const among = (values: ReadonlyArray<string>): string => `IN (${values.map((value) => `'${value}'`).join(", ")})`

/** Work that only the service itself requested: when it fails, the machine may differ from our record. */
const unrequested = ({ isTrueIn }: Dialect, rules: Rules): string =>
  `t.kind = 'operation' AND t.actor <> 'api_key' AND ${
    any(rules.map(({ flag, type }) =>
      flag === undefined ? `t.type = '${type}'` : `t.type = '${type}' AND ${isTrueIn("t.params", flag)}`
    ))
  }`

/** A task leaves the feed after a while, unless it is open, or may need to be reconciled. */
const deletable = (dialect: Dialect, rules: Rules): string =>
  `t.status IN ('succeeded', 'failed', 'cancelled') AND NOT (t.status = 'failed' AND ${unrequested(dialect, rules)})`

/** The instance is in a state in which the work is of use. */
const relevant = (rules: Rules): string =>
  any(
    rules.map(({ lifecycles, type }) =>
      `t.type = '${type}' AND i.lifecycle ${lifecycles === undefined ? "<> 'deleted'" : among(lifecycles)}`
    )
  )

/** A later task repeats it and decides how it ends; or the customer has changed the same thing since. */
const followed = (rules: Rules): string => {
  const settled = rules.filter(({ settledBy }) => settledBy.length > 0)
    .map(({ settledBy, type }) => `t.type = '${type}' AND n.type ${among(settledBy)}`)
  return `EXISTS (SELECT 1 FROM tasks n
    WHERE n.instance_id = t.instance_id AND n.id > t.id AND n.kind = 'operation' AND n.status <> 'cancelled' AND (
      (n.type = t.type AND n.params = t.params) OR (n.status = 'succeeded' AND ${any(settled)})))`
}

/** With the condition of the index over tasks with an error. */
const selecting = (dialect: Dialect, rules: Rules): string =>
  `SELECT ${TASK.of("t")} FROM tasks t JOIN instances i ON i.id = t.instance_id
  WHERE t.status IN ('failed', 'cancelled') AND t.status = 'failed' AND ${unrequested(dialect, rules)} AND ${
    relevant(rules)
  } AND NOT ${followed(rules)}`

/**
 * In the order of ids, which is the order of creation: no index is needed for it. The first task that is too young ends
 * the search; few older ones stay.
 */
const deletion = (dialect: Dialect, rules: Rules): string =>
  `DELETE FROM tasks WHERE id IN (SELECT t.id FROM tasks t WHERE ${deletable(dialect, rules)} AND t.id < coalesce(
     (SELECT id FROM tasks WHERE created_at > ?1 ORDER BY id LIMIT 1), 9223372036854775807) ORDER BY t.id LIMIT ?2)`

export const unreconciled = (sql: Sql["Service"]): Unreconciled => {
  const { dialect } = sql
  // The scheduler runs it at every pass, so it reads one row.
  const oldest = sql.one<[number]>("SELECT created_at FROM tasks ORDER BY id LIMIT 1")
  return {
    // Run by operators, and once an hour: no statement stays prepared for them.
    unreconciled: (rules, limit, before = Number.MAX_SAFE_INTEGER) =>
      Rows.each(
        sql.all<Row>(`${selecting(dialect, rules)} AND t.id < ? ORDER BY t.id DESC LIMIT ?`)(before, limit),
        TASK.decode
      ),
    findUnreconciled: (rules, id) =>
      Rows.optional(sql.one<Row>(`${selecting(dialect, rules)} AND t.id = ?`)(id), TASK.decode),
    abandon: update(sql, "UPDATE tasks SET status = 'cancelled', error = ?2 WHERE id = ?1 AND status = 'failed'"),
    oldestCreation: Rows.optionalValue(oldest()),
    deleteEnded: (rules, createdUntil, limit) => sql.run(deletion(dialect, rules))(createdUntil, limit)
  }
}
