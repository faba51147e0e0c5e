/** The conditions of a fair comparison: both systems return, replay, and store the same. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { DatabaseSync } from "node:sqlite"
import type { Process } from "./Process.ts"
import { ORDER } from "./works.ts"

const shape = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
    : typeof value

/** The same instance reads the same from all, to the last field. */
export const sameAnswers = async (processes: ReadonlyArray<Process>): Promise<void> => {
  const answers = await Promise.all(processes.map((one) => one.ask("GET", "/instances/1")))
  for (const answer of answers) deepStrictEqual(answer, answers[0])
}

/** A create answers 201, its repeat the same instance; the records have the same fields and types. */
export const sameCreates = async (processes: ReadonlyArray<Process>): Promise<void> => {
  const created = await Promise.all(processes.map(async (one) => {
    const key = { "idempotency-key": `check-${process.pid}` }
    const first = await one.ask("POST", "/instances", ORDER, key)
    const second = await one.ask("POST", "/instances", ORDER, key)
    strictEqual(first.status, 201)
    strictEqual(second.status, 201)
    strictEqual((second.body as { id: number }).id, (first.body as { id: number }).id)
    return shape(first.body)
  }))
  for (const one of created) deepStrictEqual(one, created[0])
}

const COUNTS = `SELECT
  (SELECT count(*) FROM instances) AS instances,
  (SELECT count(*) FROM orders) AS orders,
  (SELECT count(*) FROM journals WHERE kind = 'instance_create') AS journals,
  (SELECT count(*) FROM tasks WHERE type = 'provision') AS tasks,
  (SELECT count(*) FROM tasks WHERE type = 'provision' AND status = 'succeeded') AS deployed,
  (SELECT count(*) FROM instances WHERE power = 'on' AND provider_id IS NOT NULL) AS running,
  (SELECT count(*) FROM idempotency_keys) AS keys,
  (SELECT sum(amount) FROM entries) AS sum,
  (SELECT sum(wallet) FROM accounts) AS wallets,
  (SELECT sum(amount) FROM entries WHERE account LIKE 'wallet:%') AS booked`

export interface Expected {
  readonly creates: number
  /** An active worker has deployed all of them, an idle one those of the seed. */
  readonly deployed: number
}

/** Every 201 that was counted is stored with all its rows, and the money adds up. For a database at rest. */
export const nothingLost = (name: string, database: string, { creates, deployed }: Expected): void => {
  const db = new DatabaseSync(database, { readOnly: true })
  const found = { ...db.prepare(COUNTS).get() }
  db.close()
  const rows = { instances: creates, orders: creates, journals: creates, tasks: creates, keys: creates }
  const wallets = found["wallets"]
  deepStrictEqual(
    found,
    { ...rows, deployed, running: deployed, sum: 0, wallets, booked: wallets },
    `${name} lost or doubled something`
  )
}
