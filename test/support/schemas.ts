/** The schema of either database in a common form, for comparison. */
import type { DatabaseSync } from "node:sqlite"
import { Client } from "pg"

interface Table {
  /** In order: name, kind, whether it may be null, default. */
  readonly columns: ReadonlyArray<string>
  /** Columns, empty for an expression, whether unique, and whether for some rows only; those of keys included. */
  readonly indexes: ReadonlyArray<string>
  /** Columns and the table that they refer to. */
  readonly references: ReadonlyArray<string>
  readonly checks: number
  readonly triggers: ReadonlyArray<string>
}

export type Schema = Readonly<Record<string, Table>>

interface Column {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly fallback: string | null
}

const shown = ({ fallback, name, required, type }: Column): string =>
  `${name} ${type}${required ? " not null" : ""}${fallback === null ? "" : ` default ${fallback}`}`

const sqliteTable = (connection: DatabaseSync, table: string, sql: string): Table => {
  const all = (query: string) => connection.prepare(query).all() as Array<Record<string, unknown>>
  const columns = all(`SELECT * FROM pragma_table_info('${table}')`)
  const indexes = all(
    `SELECT name, "unique" AS uni, partial FROM pragma_index_list('${table}')`
  ).map(({ name, partial, uni }) => {
    const of = all(`SELECT name FROM pragma_index_info('${name}') ORDER BY seqno`).map((column) => column["name"])
    return `${of.join(",")}${uni === 1 ? " unique" : ""}${partial === 1 ? " partial" : ""}`
  })
  // A key that is the row's own number has no index of its own here.
  const rowKey = columns.filter(({ pk, type }) => pk === 1 && type === "INTEGER").map(({ name }) => `${name} unique`)
  const isSimple = columns.filter(({ pk }) => Number(pk) > 0).length === 1
  return {
    columns: columns.map(({ dflt_value, name, notnull, pk, type }) =>
      shown({
        name: String(name),
        type: String(type),
        required: notnull === 1 || Number(pk) > 0,
        fallback: dflt_value === null ? null : String(dflt_value).replaceAll("'", "")
      })
    ),
    indexes: [...indexes, ...isSimple ? rowKey : []].toSorted(),
    references: all(`SELECT * FROM pragma_foreign_key_list('${table}')`)
      .map(({ from, table: to }) => `${from} to ${to}`).toSorted(),
    checks: sql.split("CHECK (").length - 1,
    triggers: all(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '${table}'`)
      .map(({ name }) => String(name)).toSorted()
  }
}

export const schemaOfSqlite = (connection: DatabaseSync): Schema => {
  const tables = connection.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
  ).all() as Array<{ name: string; sql: string }>
  return Object.fromEntries(tables.map(({ name, sql }) => [name, sqliteTable(connection, name, sql)]))
}

const KINDS: Readonly<Record<string, string>> = { bigint: "INTEGER", text: "TEXT" }

const postgresTable = async (client: Client, table: string): Promise<Table> => {
  const all = async (query: string) => (await client.query(query)).rows as Array<Record<string, unknown>>
  const columns = await all(
    `SELECT column_name, data_type, is_nullable, column_default, collation_name FROM information_schema.columns
     WHERE table_name = '${table}' ORDER BY ordinal_position`
  )
  const names = async (query: string) => (await all(query)).map(({ it }) => String(it)).toSorted()
  const [checks] = await all(
    `SELECT count(*) AS it FROM pg_constraint WHERE contype = 'c' AND conrelid = '${table}'::regclass`
  )
  return {
    columns: columns.map(({ collation_name, column_default, column_name, data_type, is_nullable }) =>
      shown({
        name: String(column_name),
        type: data_type === "text" && collation_name !== "C"
          ? "text of a locale"
          : KINDS[String(data_type)] ?? String(data_type),
        required: is_nullable === "NO",
        // The function that assigns ids, as AUTOINCREMENT does.
        fallback: column_default === null || String(column_default).startsWith("vps_next_id(")
          ? null
          : String(column_default).replace(/::\w+$/, "").replaceAll("'", "")
      })
    ),
    indexes: await names(
      `SELECT (SELECT string_agg(coalesce(a.attname, ''), ',' ORDER BY k.place)
         FROM unnest(i.indkey) WITH ORDINALITY AS k(num, place)
         LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num)
         || CASE WHEN i.indisunique THEN ' unique' ELSE '' END
         || CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END AS it
       FROM pg_index i WHERE i.indrelid = '${table}'::regclass`
    ),
    references: await names(
      `SELECT a.attname || ' to ' || c.confrelid::regclass AS it FROM pg_constraint c
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       WHERE c.contype = 'f' AND c.conrelid = '${table}'::regclass`
    ),
    checks: Number(checks!["it"]),
    // Without those of TRUNCATE, which SQLite does not have.
    triggers: await names(
      `SELECT tgname AS it FROM pg_trigger
       WHERE NOT tgisinternal AND tgtype & 32 = 0 AND tgrelid = '${table}'::regclass`
    )
  }
}

export const schemaOfPostgres = async (url: string): Promise<Schema> => {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT tablename FROM pg_tables
       WHERE schemaname = 'public' AND tablename NOT IN ('vps_schema_version', 'database_lineages')
       ORDER BY tablename COLLATE "C"`
    )
    const tables: Array<[string, Table]> = []
    for (const { tablename } of rows) tables.push([tablename, await postgresTable(client, tablename)])
    return Object.fromEntries(tables)
  } finally {
    await client.end()
  }
}
