/**
 * A small database and a large one for the same question: what do 100,000 instances and 1,000,000 ledger entries cost
 * a read? The service itself makes one instance through its API; the others are copies of its rows, made in SQL.
 */
import { deepStrictEqual } from "node:assert/strict"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Process } from "./Process.ts"
import { OURS } from "./systems.ts"
import { PLAN } from "./works.ts"

/** Of one account, for its list. */
export const LISTED = 1_000
const INSTANCES = 100_000
const ENTRIES = 1_000_000

/** Instances of the account that reads: ids from 1 on. */
export const READABLE = INSTANCES - LISTED

/** The seed's own account, and the one that is made here. */
const LISTING = 1
const READING = 2

/** The last of them belong to the account that lists, the others to the one that reads. */
const OWNER = `CASE WHEN n.id > ${READABLE} THEN ${LISTING} ELSE ${READING} END`

/** The entries of a charge of plan 2, in minor units: 9.99 with 19 % VAT. */
const PRICE = 999
const VAT = 160
const CHARGE = [
  [`'wallet:' || ${OWNER}`, `-${PRICE}`],
  ["'revenue'", `${PRICE - VAT}`],
  ["'vat'", `${VAT}`]
] as const

/** Just as much is paid in as is charged three times. */
const PAID_IN = [[`'wallet:' || ${OWNER}`, `${3 * PRICE}`], ["'bank'", `-${3 * PRICE}`]] as const

const COUNTS = `SELECT
  (SELECT count(*) FROM instances) AS instances,
  (SELECT count(*) FROM instances WHERE account_id = ${LISTING}) AS listed,
  (SELECT count(*) FROM entries) AS entries,
  (SELECT sum(amount) FROM entries) AS sum,
  (SELECT sum(wallet) FROM accounts) AS wallets,
  (SELECT sum(amount) FROM entries WHERE account LIKE 'wallet:%') AS booked`

const POLL_MILLIS = 50

interface Seeded {
  /** One instance of one account, and nothing else. */
  readonly small: string
  readonly large: string
  /** Key of the account that has the first instance, and in the large database the next 98,999. */
  readonly reader: string
  /** Key of the account that lists. */
  readonly owner: string
}

const ok = async (answer: Promise<{ status: number; body: unknown }>): Promise<Record<string, unknown>> => {
  const { body, status } = await answer
  if (status >= 300) throw new Error(`seed: ${status} ${JSON.stringify(body)}`)
  return body as Record<string, unknown>
}

/** An account with a wallet of 100 EUR and one running instance; returns the accounts' keys. */
const makeFirst = async (database: string): Promise<Pick<Seeded, "owner" | "reader">> => {
  const server = await Process.start(OURS.emulator, database, { path: "/whoami" })
  await ok(server.ask("PUT", "/_emulator/deploy", JSON.stringify({ mode: "instant" })))
  const person = JSON.stringify({ email: "reader@example.test", wallet: 100 })
  const key = String((await ok(server.ask("POST", "/_emulator/accounts", person)))["api_key"])
  const as = { authorization: `Bearer ${key}` }
  const order = JSON.stringify({ service_id: PLAN, hostname: "host-1.example.com", os: "debian-12" })
  await ok(server.ask("POST", "/instances", order, { ...as, "idempotency-key": "seed-1" }))
  while ((await ok(server.ask("GET", "/instances/1", undefined, as)))["status"] !== "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS))
  }
  await server.stop()
  return { reader: key, owner: server.tokens[0]! }
}

/** Fills a table with what its first rows say, for every number: `changed` are columns that differ. */
const copy = (db: DatabaseSync, table: string, which: string, changed: Readonly<Record<string, string>>): void => {
  const columns = db.prepare("SELECT name FROM pragma_table_info(?)").all(table).map(({ name }) => String(name))
  const values = columns.map((column) => changed[column] ?? `t.${column}`)
  db.exec(`INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM n, ${table} t WHERE ${which}`)
}

const copyInstances = (db: DatabaseSync): void => {
  copy(db, "orders", "t.id = 1", { id: "n.id", account_id: OWNER })
  copy(db, "instances", "t.id = 1", {
    id: "n.id",
    account_id: OWNER,
    order_id: "n.id",
    provider_id: "'sim-' || n.id",
    // No worker changes them while they are read.
    next_backup_at: "NULL"
  })
  copy(db, "tasks", "t.id = 1", { id: "n.id", instance_id: "n.id" })
  copy(db, "idempotency_keys", "t.instance_id = 1", { digest: "lower(hex(randomblob(32)))", instance_id: "n.id" })
}

/** Journals of each order, with their entries: paid in, bought, renewed twice. No wallet changes by them. */
const writeLedger = (db: DatabaseSync): void => {
  const journals = [
    ["top_up", "'seed-' || n.id", PAID_IN],
    ["instance_create", "'instance_create:order:' || n.id", CHARGE],
    ["instance_renew", "'instance_renew:order:' || n.id || ':1'", CHARGE],
    ["instance_renew", "'instance_renew:order:' || n.id || ':2'", CHARGE]
  ] as const
  const { first } = db.prepare("SELECT max(id) AS first FROM journals").get() as { first: number }
  for (const [index, [kind, reference, lines]] of journals.entries()) {
    const id = `${first} + 4 * n.id + ${index}`
    db.exec(`INSERT INTO journals (id, account_id, kind, reference, currency, created_at)
      SELECT ${id}, ${OWNER}, '${kind}', ${reference}, 'EUR', 0 FROM n`)
    lines.forEach(([account, amount], line) =>
      db.exec(
        `INSERT INTO entries (journal_id, line, account, amount) SELECT ${id}, ${line}, ${account}, ${amount} FROM n`
      )
    )
  }
}

/** Checks that the copy is consistent and complete. */
const checkLarge = (db: DatabaseSync): void => {
  deepStrictEqual(db.prepare("PRAGMA foreign_key_check").all(), [])
  const found = { ...db.prepare(COUNTS).get() } as Record<string, number>
  const { booked, entries, instances, listed, sum, wallets } = found
  deepStrictEqual({ instances, listed, sum, booked }, { instances: INSTANCES, listed: LISTED, sum: 0, booked: wallets })
  if (entries! < ENTRIES) throw new Error(`${entries} ledger entries are less than ${ENTRIES}`)
}

/** Makes both in `folder`; takes a few seconds. */
export const seedLarge = async (folder: string): Promise<Seeded> => {
  const [small, large] = [join(folder, "small.db"), join(folder, "large.db")]
  const keys = await makeFirst(small)
  cpSync(small, large)
  const db = new DatabaseSync(large)
  db.exec(`CREATE TEMP TABLE n (id INTEGER PRIMARY KEY);
    WITH RECURSIVE c(id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM c WHERE id < ${INSTANCES})
      INSERT INTO n SELECT id FROM c;
    BEGIN`)
  copyInstances(db)
  writeLedger(db)
  db.exec("COMMIT")
  checkLarge(db)
  db.close()
  return { small, large, ...keys }
}
