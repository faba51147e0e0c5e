/** Checks a database file, as far as possible before the first request is served. */
import { statSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"

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
