import * as Effect from "effect/Effect"
import { type Sequence, type Sql, type Table, type Tables, UNTOUCHED } from "../Sql.ts"

type Reference = readonly [from: string, to: string]

const COLUMNS = `SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace) AND a.attnum > 0
    AND NOT a.attisdropped AND c.relname NOT IN (${UNTOUCHED}, 'vps_schema_version')`

const REFERENCES = `SELECT f.relname, t.relname FROM pg_constraint k
  JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
  WHERE k.contype = 'f' AND k.connamespace = CAST(current_schema() AS regnamespace)`

/**
 * Only a table's `id` has a sequence; unused ones are left out. CASE, because conditions are evaluated in any order,
 * and the function only accepts sequences.
 */
const SEQUENCES = `SELECT g.relname, g.last FROM (
    SELECT t.relname, CASE s.relkind WHEN 'S' THEN pg_sequence_last_value(CAST(s.oid AS regclass)) END AS last
    FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = CAST('pg_class' AS regclass)
      AND d.refclassid = d.classid AND d.deptype IN ('a', 'i')
    JOIN pg_class t ON t.oid = d.refobjid
    WHERE t.relnamespace = CAST(current_schema() AS regnamespace)
  ) AS g WHERE g.last IS NOT NULL`

type Keeper = readonly [trigger: string, table: string]

/** The triggers that refuse TRUNCATE: the bit of that event is 32. */
const KEEPERS = `SELECT g.tgname, t.relname FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
  WHERE NOT g.tgisinternal AND g.tgtype & 32 <> 0 AND t.relnamespace = CAST(current_schema() AS regnamespace)`

const tablesFrom = (rows: ReadonlyArray<readonly [table: string, column: string]>): ReadonlyArray<Table> => {
  const tables = new Map<string, Array<string>>()
  for (const [table, column] of rows) tables.set(table, [...tables.get(table) ?? [], column])
  return [...tables].map(([name, columns]) => ({ name, columns }))
}

/** Each after those that it refers to, because PostgreSQL checks a row's references when it is inserted. */
const inOrder = (tables: ReadonlyArray<Table>, references: ReadonlyArray<Reference>): ReadonlyArray<Table> => {
  const ordered: Array<Table> = []
  const names = new Set<string>()
  while (ordered.length < tables.length) {
    const next = tables.filter(({ name }) =>
      !names.has(name) && references.every(([from, to]) => from !== name || to === name || names.has(to))
    )
    for (const table of next) {
      ordered.push(table)
      names.add(table.name)
    }
    if (next.length === 0) return [...ordered, ...tables.filter(({ name }) => !names.has(name))]
  }
  return ordered
}

export const tables = (sql: Sql["Service"]): Tables => {
  const columns = sql.all<[table: string, column: string]>(COLUMNS)
  const references = sql.all<Reference>(REFERENCES)
  const sequences = sql.all<Sequence>(SEQUENCES)
  const setSequence = sql.one("SELECT setval(CAST(pg_get_serial_sequence(?1, 'id') AS regclass), ?2)")
  const advance = sql.one(
    `SELECT setval(s.ids, greatest(coalesce(pg_sequence_last_value(s.ids), 0), ?2))
     FROM (SELECT CAST(pg_get_serial_sequence(?1, 'id') AS regclass) AS ids) s`
  )
  const list = Effect.zipWith(Effect.map(columns(), tablesFrom), references(), inOrder)
  const keepers = sql.all<Keeper>(KEEPERS)
  const run = (texts: ReadonlyArray<string>) => Effect.forEach(texts, (text) => sql.run(text)(), { discard: true })
  return {
    list,
    empty: Effect.flatMap(Effect.zip(list, keepers()), ([tables, keepers]) =>
      run([
        ...keepers.map(([trigger, table]) => `ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`),
        `TRUNCATE ${tables.map(({ name }) => name).join(", ")} RESTART IDENTITY`,
        ...keepers.map(([trigger, table]) => `ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`)
      ])),
    sequences: sequences(),
    setSequences: (lasts) => Effect.forEach(lasts, ([name, last]) => setSequence(name, last), { discard: true }),
    advance: Effect.forEach(([name, last]) => advance(name, last), { discard: true })
  }
}
