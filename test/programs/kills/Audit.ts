/** After the storm: everything acknowledged exists, nothing exists twice, and the ledger balances. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import type { Acknowledged } from "./Bank.ts"
import type { Query } from "./Cluster.ts"
import { machineTag } from "#service/persistence/MachineTag"

const numbers = async (query: Query, sql: string): Promise<Map<number, number>> =>
  new Map((await query(sql)).map(({ id, n }) => [Number(id), Number(n)]))

/** A query that finds what must not be; its name is what it would mean. */
const NEVER: Readonly<Record<string, string>> = {
  "a paid order without its one charge": `
    SELECT o.id FROM orders o LEFT JOIN journals j ON j.reference = 'instance_create:order:' || o.id
    WHERE o.status = 'paid' GROUP BY o.id HAVING count(j.id) <> 1`,
  "a charge that differs from its order": `
    SELECT o.id FROM orders o JOIN journals j ON j.reference = 'instance_create:order:' || o.id
    JOIN entries e ON e.journal_id = j.id AND e.account = 'wallet:' || o.account_id WHERE e.amount <> -o.charge`,
  "a refund": "SELECT id FROM journals WHERE kind = 'refund'",
  "a journal that does not sum to zero": `
    SELECT journal_id FROM entries GROUP BY journal_id HAVING sum(amount) <> 0`,
  "a journal without lines": "SELECT id FROM journals WHERE id NOT IN (SELECT journal_id FROM entries)",
  "a wallet that differs from the ledger": `
    SELECT a.id FROM accounts a JOIN entries e ON e.account = 'wallet:' || a.id
    GROUP BY a.id, a.wallet HAVING a.wallet <> sum(e.amount)`,
  "an idempotency key that bought twice": `
    SELECT api_key_id FROM idempotency_keys GROUP BY api_key_id, digest HAVING count(*) <> 1`,
  "an instance without a purchase":
    "SELECT id FROM instances WHERE id NOT IN (SELECT instance_id FROM idempotency_keys)",
  "an instance that is not deployed": "SELECT id FROM instances WHERE lifecycle <> 'active'",
  "an instance without its one machine": `
    SELECT i.id FROM instances i LEFT JOIN simulated_machines m ON m.tag = ${machineTag("i")}
    GROUP BY i.id HAVING count(m.tag) <> 1`,
  "a machine without its instance": `
    SELECT m.tag FROM simulated_machines m WHERE m.tag NOT IN (SELECT ${machineTag("i")} FROM instances i)`,
  "two instances on one machine": "SELECT provider_id FROM instances GROUP BY provider_id HAVING count(*) <> 1",
  // A night may fall into the run; its backups give way to what customers ask for.
  "a task that is open or failed": "SELECT id FROM tasks WHERE status <> 'succeeded' AND type <> 'backup_create'",
  "a charge of a resize without its task": `
    SELECT j.id FROM journals j WHERE j.kind = 'instance_resize'
    AND j.reference NOT IN (SELECT 'instance_resize:task:' || id FROM tasks WHERE type = 'resize')`
}

const entriesOf = (reference: string): string => `
  SELECT t.id, coalesce(-sum(e.amount), 0) AS n FROM tasks t
  LEFT JOIN journals j ON j.reference = '${reference}' || t.id
  LEFT JOIN entries e ON e.journal_id = j.id AND e.account LIKE 'wallet:%' GROUP BY t.id`

const cents = (amount: number): number => Math.round(amount * 100)

/** Throws with what is missing, or there and must not be. */
export const audit = async (query: Query, acknowledged: Acknowledged, fleet: ReadonlyArray<number>): Promise<void> => {
  const { bought, paidIn, plans, resized, switched } = acknowledged
  for (const [what, sql] of Object.entries(NEVER)) deepStrictEqual(await query(sql), [], what)

  const ids = new Set((await query("SELECT id FROM instances")).map(({ id }) => Number(id)))
  strictEqual(new Set(bought.map(({ id }) => id)).size, bought.length, "two keys were answered with one instance")
  deepStrictEqual(bought.filter(({ id }) => !ids.has(id)), [], "instances that were acknowledged and are not there")
  // Customers retry until they get a response: everything that exists was acknowledged.
  strictEqual(ids.size, bought.length, "instances that nobody was told of")

  const charges = await numbers(query, entriesOf("instance_resize:task:"))
  for (const { charge, task } of [...resized, ...switched]) {
    strictEqual(charges.get(task), cents(charge), `task ${task} was charged otherwise than was said, or is lost`)
  }
  const references = new Map(
    (await query(
      `SELECT j.reference, e.amount FROM journals j JOIN entries e ON e.journal_id = j.id
       WHERE j.kind = 'top_up' AND e.account LIKE 'wallet:%'`
    )).map(({ amount, reference }) => [reference, Number(amount)])
  )
  for (const { amount, reference } of paidIn) strictEqual(references.get(reference), cents(amount), reference)

  const now = await numbers(
    query,
    "SELECT i.id, o.plan_id AS n FROM instances i JOIN orders o ON o.id = i.order_id"
  )
  for (const [id, plan] of plans) strictEqual(now.get(id), plan, `instance ${id} has another plan than was said`)

  const renewals = await numbers(
    query,
    `SELECT i.id, count(j.id) AS n FROM instances i
     LEFT JOIN journals j ON j.reference LIKE 'instance_renew:order:' || i.order_id || ':%' GROUP BY i.id`
  )
  for (const [id, count] of renewals) strictEqual(count, fleet.includes(id) ? 1 : 0, `renewals of instance ${id}`)
  ok(fleet.length > 0)
}
