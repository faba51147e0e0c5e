/** Brings the schema to this program's version. Replicas that start at once migrate one after the other. */
import { MIGRATIONS } from "../schema/Migrations.ts"
import { postgres, REFUSE } from "./Dialect.ts"
import { LOCKS, VERSION_TABLE } from "./Transaction.ts"
import type { Connection } from "./Pool.ts"

/** No limit: a large table is rewritten, or another replica migrates. 24 days are a timer's maximum. */
const TIMEOUT_MILLIS = 2 ** 31 - 1

const ahead = (current: number): Error =>
  new Error(
    `The database has schema version ${current}; this program knows up to ${MIGRATIONS.length}. `
      + "Run the newer version of the service that wrote it."
  )

const step = async (query: (text: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>, version: number) => {
  await query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
  await query(`SELECT pg_advisory_xact_lock(${LOCKS.migration})`)
  const [existing] = await query(`SELECT to_regclass('${VERSION_TABLE}') IS NOT NULL`)
  if (existing![0] === 0) {
    await query(`${REFUSE} CREATE TABLE ${VERSION_TABLE} AS SELECT 0::bigint AS version`)
  }
  const [row] = await query(`SELECT version FROM ${VERSION_TABLE}`)
  const current = Number(row![0])
  if (current > MIGRATIONS.length) throw ahead(current)
  const due = MIGRATIONS.slice(current, version)
  for (const migration of due) await query(migration(postgres.schema))
  if (due.length > 0) await query(`UPDATE ${VERSION_TABLE} SET version = ${current + due.length}`)
}

/**
 * All steps in one transaction, so that a broken one leaves the schema as it was; rejects for a newer schema. A test
 * stops at an earlier version.
 */
export const migrate = async (connection: Connection, version = MIGRATIONS.length): Promise<void> => {
  const query = async (text: string) =>
    (await connection.query({ text, rowMode: "array", query_timeout: TIMEOUT_MILLIS })).rows
  await query("BEGIN")
  try {
    await step(query, version)
    await query("COMMIT")
  } catch (cause) {
    // If that fails, the end of the session rolls back.
    await query("ROLLBACK").catch(() => undefined)
    throw cause
  }
}
