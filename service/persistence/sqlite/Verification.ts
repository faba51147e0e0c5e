/** The complete check of an unused database file: every page, every reference, every balance. */
import { DatabaseSync } from "node:sqlite"
import { SECRET_HEAD_LENGTH, secretIdOf } from "../../config/Secret.ts"
import { type DatabaseKind, kindOf } from "./DatabaseKind.ts"

/** The result; the lists are empty and `sound` is true for a valid file. */
export interface Findings {
  readonly sound: boolean
  readonly schemaVersion: number
  /** Undefined for a file without data of a version that did not store it. */
  readonly kind: DatabaseKind | undefined
  /** SQLite's findings in pages, indexes and constraints. */
  readonly damage: ReadonlyArray<string>
  /** Rows that refer to what is not there, like `orders 12 -> plans`. */
  readonly dangling: ReadonlyArray<string>
  /** References of journals that do not sum to zero. */
  readonly unbalanced: ReadonlyArray<string>
  /** Accounts whose wallet differs from the ledger. */
  readonly wrongWallets: ReadonlyArray<number>
  readonly rows: Rows
  /** API keys that work, by the id of the secret that they depend on; null for those of versions without ids. */
  readonly keys: ReadonlyArray<{ readonly secret: string | null; readonly keys: number }>
}

/** Counts of the most important rows. */
export interface Rows {
  readonly accounts: number
  readonly instances: number
  readonly journals: number
}

/** Findings of one kind at most. */
const FINDINGS_MAX = 20

const all = <Row>(connection: DatabaseSync, sql: string): ReadonlyArray<Row> =>
  connection.prepare(sql).all() as unknown as ReadonlyArray<Row>

const number = (connection: DatabaseSync, sql: string): number =>
  Number(Object.values(connection.prepare(sql).get() ?? {})[0])

export const countRows = (connection: DatabaseSync): Rows => ({
  accounts: number(connection, "SELECT count(*) FROM accounts"),
  instances: number(connection, "SELECT count(*) FROM instances"),
  journals: number(connection, "SELECT count(*) FROM journals")
})

const schemaVersionOf = (connection: DatabaseSync): number => number(connection, "PRAGMA user_version")

const damageOf = (connection: DatabaseSync) =>
  all<{ integrity_check: string }>(connection, `PRAGMA integrity_check(${FINDINGS_MAX})`)
    .map((row) => row.integrity_check.replaceAll(/\s+/g, " ")).filter((line) => line !== "ok")

const danglingOf = (connection: DatabaseSync) =>
  all<{ table: string; rowid: number | null; parent: string }>(connection, "PRAGMA foreign_key_check")
    .slice(0, FINDINGS_MAX).map(({ parent, rowid, table }) => `${table} ${rowid ?? "?"} -> ${parent}`)

/** The same as `ledger verify`, said in SQL: a backup may be of a version that the repositories do not know. */
const booksOf = (connection: DatabaseSync) => ({
  unbalanced: all<{ reference: string }>(
    connection,
    `SELECT j.reference FROM journals j LEFT JOIN entries e ON e.journal_id = j.id
     GROUP BY j.id HAVING count(e.line) = 0 OR sum(e.amount) <> 0 ORDER BY j.id LIMIT ${FINDINGS_MAX}`
  ).map(({ reference }) => reference),
  wrongWallets: all<{ id: number }>(
    connection,
    `WITH balances AS (SELECT account, sum(amount) AS amount FROM entries GROUP BY account)
     SELECT a.id FROM accounts a LEFT JOIN balances b ON b.account = 'wallet:' || a.id
     WHERE a.wallet <> coalesce(b.amount, 0) ORDER BY a.id LIMIT ${FINDINGS_MAX}`
  ).map(({ id }) => id)
})

const keysOf = (connection: DatabaseSync) => {
  const counts = new Map<string | null, number>()
  const heads = all<{ head: string; keys: number }>(
    connection,
    `SELECT substr(digest, 1, ${SECRET_HEAD_LENGTH}) AS head, count(*) AS keys FROM api_keys
     WHERE revoked_at IS NULL GROUP BY 1`
  )
  for (const { head, keys } of heads) {
    const id = secretIdOf(head) ?? null
    counts.set(id, (counts.get(id) ?? 0) + keys)
  }
  return [...counts].map(([secret, keys]) => ({ secret, keys }))
}

const NOTHING = {
  kind: undefined,
  unbalanced: [],
  wrongWallets: [],
  rows: { accounts: 0, instances: 0, journals: 0 },
  keys: []
}

const examine = (connection: DatabaseSync): Findings => {
  const schemaVersion = schemaVersionOf(connection)
  const damage = damageOf(connection)
  // Rows of a damaged file need not be counted, and may not be countable.
  if (damage.length > 0) return { sound: false, schemaVersion, damage, dangling: [], ...NOTHING }
  if (schemaVersion === 0) {
    return { sound: false, schemaVersion, damage: ["it holds nothing of vps-service"], dangling: [], ...NOTHING }
  }
  const dangling = danglingOf(connection)
  const books = booksOf(connection)
  const sound = dangling.length + books.unbalanced.length + books.wrongWallets.length === 0
  const [rows, keys] = [countRows(connection), keysOf(connection)]
  return { sound, schemaVersion, kind: kindOf(connection), damage, dangling, ...books, rows, keys }
}

/**
 * Checks a whole file; with `asOneFile` it is left as one file without a log beside it. Throws SQLite's own error when
 * the file cannot be opened, or another process owns it.
 */
export const verifyFile = (path: string, { asOneFile }: { readonly asOneFile: boolean }): Findings => {
  const connection = new DatabaseSync(path)
  try {
    // Without files beside it during the check, and locked against other processes.
    connection.exec("PRAGMA locking_mode = EXCLUSIVE")
    if (asOneFile) connection.exec("PRAGMA journal_mode = DELETE")
    return examine(connection)
  } finally {
    connection.close()
  }
}

/** One sentence for each finding. */
export const complaints = ({ damage, dangling, unbalanced, wrongWallets }: Findings): ReadonlyArray<string> => [
  ...damage,
  ...dangling.map((row) => `${row} does not exist`),
  ...unbalanced.map((reference) => `the journal ${reference} does not sum to zero`),
  ...wrongWallets.map((id) => `the wallet of account ${id} differs from the ledger`)
]
