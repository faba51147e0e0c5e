/** Lists of operators at 100,000 rows: a page is found by an index, and a search reads in steps of bounded size. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SQLInputValue } from "node:sqlite"
import { AuditEntries, type AuditFilter } from "#service/persistence/AuditEntries"
import { type InstanceFilter, OperatorLists } from "#service/persistence/OperatorLists"
import type { TaskFilter } from "#service/persistence/tasks/TaskList"
import { Database } from "#service/persistence/sqlite/Database"
import { buy, serviceLayer, settle } from "../support/service.ts"

const ROWS = 100_000
const STEP = 20_000

/** Inserts a row for each number `n` from 1,001 on. */
const fill = (table: string, values: Readonly<Record<string, string>>) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
   INSERT INTO ${table} (${Object.keys(values).join(", ")}) SELECT ${Object.values(values).join(", ")} FROM numbers`

const EACH_THOUSANDTH = (rare: string, common: string) => `CASE WHEN n % 1000 = 0 THEN '${rare}' ELSE '${common}' END`

const many = Effect.gen(function*() {
  const { connection } = yield* Database
  yield* buy()
  // The mail of the order may keep the worker from its task for a moment.
  yield* settle
  const task = { kind: "'operation'", progress: "100", actor: "'system'", params: "'{}'", attempts: "1", fence: "1" }
  const audit = { actor_kind: "'person'", origin: "'x'", outcome: "'done'", previous: "'p'", hash: "'h'" }
  for (
    const statement of [
      fill("accounts", {
        id: "n",
        email: "'owner-' || n || '@example.test'",
        currency: "'EUR'",
        vat_treatment: "'domestic'",
        vat_rate: "1900",
        wallet: "0",
        created_at: "0"
      }),
      fill("instances", {
        id: "n",
        account_id: "n",
        order_id: "1",
        lifecycle: EACH_THOUSANDTH("failed", "active"),
        power: "'on'",
        boot_mode: "'disk'",
        hostname: "'web-' || n || '.example.com'",
        os: "'debian-13'",
        auto_renew: "1",
        created_at: "0"
      }),
      fill("tasks", {
        ...task,
        id: "n",
        instance_id: "n",
        type: "'restart'",
        status: EACH_THOUSANDTH("failed", "succeeded"),
        error: EACH_THOUSANDTH("rejected", ""),
        created_at: "0",
        finished_at: "1"
      }),
      fill("audit", {
        ...audit,
        seq: "n",
        at: "n",
        actor: "'bo-' || n",
        action: "'sign_in.link'",
        account_id: "n",
        details: "'{}'"
      })
    ]
  ) connection.exec(statement)
})

interface Run {
  readonly text: string
  readonly values: ReadonlyArray<SQLInputValue>
}

/** The statements that an effect runs, with their values. */
const observed = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { connection } = yield* Database
  const prepare = connection.prepare.bind(connection)
  const runs: Array<Run> = []
  connection.prepare = (text) => {
    const statement = prepare(text)
    const all = statement.all.bind(statement)
    statement.all = ((...values: Array<SQLInputValue>) => {
      // Not those of the background.
      if (/ORDER BY \+?\w\.\w+ (?:ASC|DESC) LIMIT \?$/.test(text)) runs.push({ text, values })
      return all(...values)
    }) as typeof statement.all
    return statement
  }
  const result = yield* effect
  connection.prepare = prepare
  const plan = ({ text, values }: Run) =>
    prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values).map((row) => String(row["detail"]))
  return { result, runs, plans: runs.map(plan) }
})

const LIMIT = 100

const instances = (filter: Partial<InstanceFilter>) =>
  Effect.flatMap(
    OperatorLists,
    (lists) =>
      lists.instances({ id: null, accountId: null, lifecycle: null, search: null, before: null, ...filter }, LIMIT)
  )

const ALL_TASKS: TaskFilter = {
  instanceId: null,
  accountId: null,
  status: null,
  endedSince: null,
  search: null,
  before: null
}

const tasks = (filter: Partial<TaskFilter>) =>
  Effect.flatMap(OperatorLists, (lists) => lists.tasks({ ...ALL_TASKS, ...filter }, LIMIT))

const audit = (filter: Partial<AuditFilter>) => {
  const all = { before: null, action: null, actor: null, accountId: null, instanceId: null, since: null, until: null }
  return Effect.flatMap(AuditEntries, ({ list }) => list({ ...all, search: null, ...filter }, LIMIT))
}

const accounts = (search: string | null, after: number) =>
  Effect.flatMap(OperatorLists, (lists) => lists.accounts(search, after, LIMIT))

/** Pages in the middle of a list, and of what is rare in it, with the number of rows, and how they are found. */
const PAGES = {
  "the first accounts": [accounts(null, 0), LIMIT, "api_keys_of_account"],
  "accounts after one": [accounts(null, 50_000), LIMIT, "PRIMARY KEY"],
  "the newest instances": [instances({}), LIMIT, "PRIMARY KEY"],
  "instances before one": [instances({ before: 50_000 }), LIMIT, "PRIMARY KEY"],
  "failed instances": [instances({ lifecycle: "failed" }), 99, "instances_rare"],
  "instances of an account": [instances({ accountId: 70_000 }), 1, "instances_of_account"],
  "one instance": [instances({ id: 70_000 }), 1, "PRIMARY KEY (rowid=?)"],
  "tasks before one": [tasks({ before: 50_000 }), LIMIT, "PRIMARY KEY"],
  "failed tasks": [tasks({ status: "failed" }), 99, "tasks_with_error"],
  "cancelled tasks": [tasks({ status: "cancelled" }), 0, "tasks_with_error"],
  "running tasks": [tasks({ status: "running" }), 1, "tasks_due"],
  "held tasks": [tasks({ status: "held" }), 0, "tasks_due"],
  "tasks that failed lately": [tasks({ status: "failed", endedSince: 1 }), 99, "tasks_with_error"],
  "tasks of an instance": [tasks({ instanceId: 70_000 }), 1, "tasks_feed"],
  "tasks of an account": [tasks({ accountId: 70_000 }), 1, "instances_of_account"],
  "a task or an instance by its number": [tasks({ search: "70000" }), 1, "MULTI-INDEX OR"],
  "audit entries before one": [audit({ before: 50_000 }), LIMIT, "PRIMARY KEY"],
  "audit entries of an account": [audit({ accountId: 70_000 }), 1, "audit_of_account"],
  "keys of an account": [Effect.flatMap(OperatorLists, ({ keys }) => keys(70_000, 0, LIMIT)), 0, "api_keys_of_account"]
} as const

/** Searches for what the oldest or the newest row has, which is read last. */
const SEARCHES = {
  accounts: accounts("owner-100000@", 0),
  instances: instances({ search: "web-1001." }),
  tasks: tasks({ search: "owner-1001@" }),
  audit: audit({ search: "bo-99999" })
} as const

layer(Layer.provideMerge(Layer.effectDiscard(many), serviceLayer()))("at 100,000 rows", (it) => {
  describe("a page is found by keys, without reading others", () => {
    it.effect.each(Object.keys(PAGES) as Array<keyof typeof PAGES>)("%s", (name) =>
      Effect.gen(function*() {
        const [page, count, way] = PAGES[name]
        const { plans, result, runs } = yield* observed(page as Effect.Effect<ReadonlyArray<unknown>>)
        assert.strictEqual(result.length, count)
        assert.isAtMost(runs.length, 1)
        const steps = plans.flat()
        assert.include(steps.join("\n"), way)
        // Few rows may be sorted. The index of open tasks has no others.
        const isFew = runs[0]!.text.includes("ORDER BY +")
        const refused = isFew ? /^SCAN (?!t USING INDEX tasks_due)/ : /^SCAN |TEMP B-TREE/
        for (const step of steps) assert.notMatch(step, refused, `${runs[0]?.text}`)
      }))
  })

  describe("a search reads all in steps", () => {
    it.effect.each(Object.keys(SEARCHES) as Array<keyof typeof SEARCHES>)("%s", (name) =>
      Effect.gen(function*() {
        const { plans, result, runs } = yield* observed(SEARCHES[name] as Effect.Effect<ReadonlyArray<unknown>>)
        assert.strictEqual(result.length, 1)
        // The rows of tasks are joined.
        const step = name === "tasks" ? STEP / 2 : STEP
        assert.strictEqual(runs.length, ROWS / step)
        for (const { values } of runs) {
          const [above, below] = values.slice(-3).map(Number)
          assert.isAtMost(below! - above! - 1, step)
        }
        for (const [first] of plans) {
          assert.match(first!, /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/)
        }
      }))
  })
})
