/** The task table: queue, lock and activity feed at once. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { selectAll, selectOne, update } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import { type AccountTasks, accountTasks } from "./tasks/AccountTasks.ts"
import { type TaskClaims, taskClaims } from "./tasks/TaskClaims.ts"
import { type AuditEntry, type Backlog, type NewTask, OPEN, TASK, type Task } from "./tasks/Task.ts"
import { type Unreconciled, unreconciled } from "./tasks/Unreconciled.ts"

interface Feed {
  /** Adds an entry of kind `audit`: it has ended when it is written, and locks nothing. Part of a transaction. */
  readonly recordAudit: (entry: AuditEntry) => Effect.Effect<void>
  /** Newest first. */
  readonly feed: (instanceId: number, limit: number, offset: number) => Effect.Effect<ReadonlyArray<Task>>
  readonly count: (instanceId: number) => Effect.Effect<number>
}

interface Records {
  /** Part of a transaction. Dies when the instance has an open operation already: check `open` first. */
  readonly insert: (task: NewTask) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Task | undefined>
  /** The open operation of an instance. */
  readonly open: (instanceId: number) => Effect.Effect<Task | undefined>
  /** Counts the open operations of all instances. */
  readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
  readonly all: Effect.Effect<ReadonlyArray<Task>>
}

export class Tasks extends Context.Service<Tasks, Records & Feed & TaskClaims & Unreconciled & AccountTasks>()(
  "@pulumi-vps/service/Tasks"
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(
      Sql,
      (sql) => ({ ...records(sql), ...feed(sql), ...taskClaims(sql), ...unreconciled(sql), ...accountTasks(sql) })
    )
  )
}

const records = (sql: Sql["Service"]): Records => {
  const find = selectOne(sql, TASK, "FROM tasks WHERE id = ?")
  const open = selectOne(sql, TASK, `FROM tasks WHERE instance_id = ? AND ${OPEN}`)
  const all = selectAll(sql, TASK, "FROM tasks ORDER BY id")
  const backlog = sql.all<[string, Backlog["status"], number]>(
    `SELECT type, status, count(*) FROM tasks WHERE ${OPEN} GROUP BY type, status ORDER BY type, status`
  )
  const insert = inserting(sql)
  const addOne = counting(sql)
  return {
    insert: (task) => Effect.tap(insert(task), addOne(task.instanceId)),
    find,
    open,
    backlog: Rows.each(backlog(), ([type, status, count]) => ({ type, status, count })),
    all: all()
  }
}

/**
 * Not by a trigger, which only counts deletions: an insert that fires one makes SQLite copy every page before it writes
 * to it, and takes twice as long.
 */
const counting = (sql: Sql["Service"]) => sql.post("UPDATE instances SET task_count = task_count + 1 WHERE id = ?")

const inserting = (sql: Sql["Service"]): Records["insert"] => {
  const insert = sql.insert(
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, params, sealed,
       attempts, run_at, fence, lease_until, created_at, started_at)
     VALUES (?, 'operation', ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  // Seldom, and so not columns of the insert that every create pays for.
  const setOrigin = sql.post("UPDATE tasks SET trace = ?, person_id = ?, purpose = ?, of_task_id = ? WHERE id = ?")
  return (task) => {
    const running = task.leaseUntil !== null
    const inserted = insert(
      task.instanceId,
      task.type,
      running ? "running" : "queued",
      task.actor,
      task.apiKeyId,
      task.requestId,
      task.params,
      task.sealed,
      running ? 1 : 0,
      task.runAt,
      running ? 1 : 0,
      task.leaseUntil,
      task.at,
      running ? task.at : null
    )
    const { ofTaskId = null, personId, purpose = "request", trace } = task
    return trace === undefined && personId === undefined && purpose === "request"
      ? inserted
      : Effect.tap(inserted, (id) => setOrigin(trace ?? null, personId ?? null, purpose, ofTaskId, id))
  }
}

const feed = (sql: Sql["Service"]): Feed => {
  const record = update(
    sql,
    `INSERT INTO tasks (instance_id, kind, type, status, progress, actor, api_key_id, request_id, error, params,
       attempts, fence, created_at, started_at, finished_at, person_id)
     VALUES (?1, 'audit', ?2, ?3, 100, ?4, ?5, ?6, ?7, ?9, 1, 0, ?8, ?8, ?8, ?10)`
  )
  const addOne = counting(sql)
  const list = selectAll(sql, TASK, "FROM tasks WHERE instance_id = ? ORDER BY id DESC LIMIT ? OFFSET ?")
  const count = sql.one<[number]>("SELECT task_count FROM instances WHERE id = ?")
  return {
    recordAudit: (e) =>
      Effect.tap(
        record(
          e.instanceId,
          e.type,
          e.status,
          e.actor,
          e.apiKeyId,
          e.requestId,
          e.error,
          e.at,
          e.params ?? "{}",
          e.personId ?? null
        ),
        addOne(e.instanceId)
      ),
    feed: list,
    count: (instanceId) => Effect.map(Rows.optionalValue(count(instanceId)), (tasks = 0) => tasks)
  }
}
