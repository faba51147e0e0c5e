/**
 * The checks of a database file: as much as is possible before the first request is served, and the complete one of an
 * unused file, with every page, every reference and every balance.
 */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SECRET_HEAD_LENGTH, secretIdOf } from "../../config/Secret.ts"
import { type DatabaseKind, kindOf } from "./DatabaseKind.ts"

/** SQLite's primary result codes. */
const CODE = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 }

/** Extended codes carry the primary one in their low byte. */
const PRIMARY = 0xff

const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & PRIMARY : undefined

/** Another process owns the file. */
export const isBusy = (cause: unknown): boolean => codeOf(cause) === CODE.busy

/** Another file has come to the path while this one's lock was waited for; SQLite looks before it writes. */
const MOVED = 1_032

const isReplaced = (cause: unknown): boolean => cause instanceof Error && "errcode" in cause && cause.errcode === MOVED

/** A page of the file is damaged, or the disk does not give it out. */
export const isUnreadable = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code === CODE.corrupt || code === CODE.ioError
}

/** The file does not hold what it should: only a backup helps. */
class Damaged extends Error {}

const RESCUE = "Nothing was changed. Keep the file, and put a backup in its place: vps-service admin restore <backup>."

/** The error of the database at a path, with the remedy. */
export const explain = (path: string, cause: unknown): string => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (isReplaced(cause)) return `The database ${path} was put there by a restore just now: start again.`
  if (cause instanceof Damaged) return `The database ${path} is damaged: ${reason}. ${RESCUE}`
  switch (codeOf(cause)) {
    case CODE.busy:
      return `The database ${path} is in use by another process. One service owns a SQLite file: `
        + "stop the other one first."
    case CODE.corrupt:
      return `The database ${path} is damaged: ${reason}. ${RESCUE}`
    case CODE.notADatabase:
      return `The database ${path} is damaged, or no database at all: ${reason}. ${RESCUE}`
    case CODE.readOnly:
      return `The database ${path} cannot be written: ${reason}. Make its folder writable for this user.`
    case CODE.full:
      return `The database ${path} cannot be written: ${reason}. Free space on its disk, then start again.`
    default:
      return `The database ${path} cannot be opened: ${reason}`
  }
}

interface Tree {
  readonly name: string
  readonly of: string
  readonly type: "table" | "index"
  readonly sql: string
}

const quoted = (names: ReadonlyArray<string>): ReadonlyArray<string> => names.map((name) => `"${name}"`)

/** The columns by which a table or an index is sorted. */
const orderOf = (connection: DatabaseSync, { name, sql, type }: Tree): ReadonlyArray<string> => {
  const names = (of: string) =>
    quoted((connection.prepare(of).all() as unknown as ReadonlyArray<{ readonly name: string }>).map((row) => row.name))
  if (type === "index") return names(`PRAGMA index_info("${name}")`)
  return /WITHOUT ROWID\s*$/i.test(sql)
    ? names(`SELECT name FROM pragma_table_info('${name}') WHERE pk > 0 ORDER BY pk`)
    : ["rowid"]
}

/** Reads the first and the last entry of each table and index: the way from its root to both ends. */
const touchEnds = (connection: DatabaseSync): void => {
  // A partial index can only be queried with its own condition; its table is read all the same.
  const trees = connection.prepare(
    `SELECT name, tbl_name AS "of", type, sql FROM sqlite_schema
     WHERE type IN ('table', 'index') AND sql IS NOT NULL AND (type = 'table' OR sql NOT LIKE '% WHERE %')`
  ).all() as unknown as ReadonlyArray<Tree>
  for (const tree of trees) {
    const order = orderOf(connection, tree)
    const hint = tree.type === "table" ? "NOT INDEXED" : `INDEXED BY "${tree.name}"`
    for (const direction of ["ASC", "DESC"]) {
      const by = order.map((column) => `${column} ${direction}`).join(", ")
      connection.prepare(`SELECT ${order.join(", ")} FROM "${tree.of}" ${hint} ORDER BY ${by} LIMIT 1`).get()
    }
  }
}

/**
 * Throws when the file is damaged. SQLite has checked its header and its length by then; this reads its schema, and
 * every page of a file up to `wholeBytesMax`; of a larger one both ends of each table, in a few milliseconds at any
 * size. A damaged page in the middle of a large file is found by `vps-service admin verify`, or when it is read.
 */
export const checkIntegrity = (connection: DatabaseSync, path: string, wholeBytesMax: number): void => {
  if (statSync(path).size > wholeBytesMax) return touchEnds(connection)
  const { quick_check: found } = connection.prepare("PRAGMA quick_check(1)").get() as { readonly quick_check: string }
  if (found !== "ok") throw new Damaged(found.replaceAll(/\s+/g, " "))
}

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
