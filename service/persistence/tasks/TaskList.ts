/** The tasks of all instances, for operators: each with its instance, its account, and what was ordered. */
import { columns, contains, type Definition } from "../Columns.ts"
import { type Condition, few, given, indexed, isId, makeList, scanning } from "../Listing.ts"
import type { Sql } from "../Sql.ts"
import { OPEN, TASK, type Task, type TaskStatus } from "./Task.ts"

export interface ListedTask extends Task {
  /** Of the instance. */
  readonly hostname: string | null
  readonly accountId: number
  /** The account's address. */
  readonly email: string
  /** The person, or the name of the API key; null for the service, operators, and those that were removed. */
  readonly person: string | null
  readonly key: string | null
  /** The instance's order. */
  readonly plan: string
  readonly charge: number
  readonly currency: string
}

/** Null selects all. */
export interface TaskFilter {
  readonly instanceId: number | null
  readonly accountId: number | null
  /** `held`: queued, and waits for an approval; other queued ones have a time. */
  readonly status: TaskStatus | "held" | null
  /** Only those that ended at this time or later, in epoch milliseconds. */
  readonly endedSince: number | null
  /** The id of a task or an instance, or a part of the type, the error, the hostname, or the account's address. */
  readonly search: string | null
  /** Only those before this id. */
  readonly before: number | null
}

/** Read only for the rows of a page. */
const ofOrder = (column: string): string =>
  `(SELECT ${column} FROM orders o JOIN sold_plans s ON s.id = o.sold_id WHERE o.id = i.order_id)`

export const LISTED_TASK = columns<ListedTask>(
  {
    ...TASK.definition("t"),
    hostname: "i.hostname",
    accountId: "i.account_id",
    email: "a.email",
    person: "(SELECT p.name || ' (' || p.email || ')' FROM people p WHERE p.id = t.person_id)",
    key: "(SELECT k.name FROM api_keys k WHERE k.id = t.api_key_id)",
    plan: ofOrder("s.name"),
    charge: ofOrder("o.charge"),
    currency: ofOrder("s.currency")
  } satisfies Definition<ListedTask>
)

/** Outer joins, although each task has both: they leave the order of the list as it is. */
export const OF_INSTANCE = "LEFT JOIN instances i ON i.id = t.instance_id LEFT JOIN accounts a ON a.id = i.account_id"

/** The statuses of tasks with an error have an index, whose condition a query has to repeat. */
const WITH_ERROR = "t.status IN ('failed', 'cancelled')"

const CONDITIONS: Readonly<Record<TaskStatus | "held", Condition>> = {
  queued: few(`t.${OPEN} AND t.status = 'queued' AND t.run_at IS NOT NULL`),
  held: few(`t.${OPEN} AND t.status = 'queued' AND t.run_at IS NULL`),
  running: few(`t.${OPEN} AND t.status = 'running'`),
  failed: indexed(`${WITH_ERROR} AND t.status = 'failed'`),
  cancelled: indexed(`${WITH_ERROR} AND t.status = 'cancelled'`),
  succeeded: scanning("t.status = 'succeeded'")
}

const PLACES = ["replace(t.type, '_', ' ')", "t.type", "t.error", "i.hostname", "a.email"]

const found = (text: string): Condition =>
  isId(text)
    ? few("t.id = ? OR t.instance_id = ?", Number(text), Number(text))
    : scanning(PLACES.map((place) => contains(place, "?")).join(" OR "), ...PLACES.map(() => text))

const ofAccount = (id: number): Condition =>
  few("t.instance_id IN (SELECT own.id FROM instances own WHERE own.account_id = ?)", id)

const conditionsOf = (filter: TaskFilter): ReadonlyArray<Condition> => [
  ...given(filter.instanceId, (one) => indexed("t.instance_id = ?", one)),
  ...given(filter.accountId, ofAccount),
  ...given(filter.status, (status) => CONDITIONS[status]),
  ...given(filter.endedSince, (time) => scanning("t.finished_at >= ?", time)),
  ...given(filter.search?.toLowerCase() ?? null, found)
]

/** Less than in other lists, because each row is joined. */
const STEP = 10_000

/** Newest first. */
export const makeTaskList = (sql: Sql["Service"]) => {
  const list = makeList(sql, {
    columns: LISTED_TASK,
    table: "tasks",
    alias: "t",
    id: "id",
    joins: OF_INSTANCE,
    newestFirst: true,
    step: STEP
  })
  return (filter: TaskFilter, limit: number) => list({ conditions: conditionsOf(filter), cursor: filter.before, limit })
}
