/** The databases that the systems start from: made by the service itself, through its API. */
import { cpSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Client } from "pg"
import { Process, waitFor } from "./Process.ts"
import type { Build, System } from "./systems.ts"
import { PLAN } from "./works.ts"

/** Enough that random reads do not all hit the same page; the shared peers are measured with as many. */
export const INSTANCES = 1_000

/** Enough money, in EUR, for every create of the longest run. */
const WALLET = 1_000_000_000
/** No deployment ends within a run: what is bought waits, and the worker with it. */
const IDLE = { mode: "after_ms", value: 24 * 3_600_000 } as const

const ok = async (answer: Promise<{ status: number; body: unknown }>): Promise<Record<string, unknown>> => {
  const { body, status } = await answer
  if (status >= 300) throw new Error(`seed: ${status} ${JSON.stringify(body)}`)
  return body as Record<string, unknown>
}

const setDeploy = (server: Process, setting: object) =>
  ok(server.ask("PUT", "/_emulator/deploy", JSON.stringify(setting)))

/**
 * Fills `database` (a path that does not exist yet) with running instances of the first account and leaves it at rest;
 * deployments are instant. Returns a key of each account.
 */
export const seed = async (
  database: string,
  emulator: System,
  { accounts = 1, instances }: { readonly accounts?: number; readonly instances: number }
): Promise<ReadonlyArray<string>> => {
  const server = await Process.start(emulator, database, { path: "/whoami" })
  await setDeploy(server, { mode: "instant" })
  await ok(server.ask("POST", "/_emulator/wallet", JSON.stringify({ amount: WALLET })))
  const tokens = [...server.tokens]
  for (let number = 2; number <= accounts; number++) {
    const person = JSON.stringify({ email: `person-${number}@example.test`, wallet: WALLET })
    tokens.push(String((await ok(server.ask("POST", "/_emulator/accounts", person)))["api_key"]))
  }
  for (let number = 1; number <= instances; number++) {
    const body = JSON.stringify({ service_id: PLAN, hostname: `host-${number}.example.com`, os: "debian-12" })
    await ok(server.ask("POST", "/instances", body, { "idempotency-key": `seed-${number}` }))
  }
  await waitFor(() => server.hasNoOpenTask())
  await server.stop()
  return tokens
}

/** Copies a seeded database; on the copy, no deployment ends. */
export const copyIdle = async (seeded: string, database: string, emulator: System): Promise<void> => {
  cpSync(seeded, database)
  const server = await Process.start(emulator, database, { path: "/whoami" })
  await setDeploy(server, IDLE)
  await server.stop()
}

const COLUMNS = `SELECT table_name AS name, json_agg(column_name) AS columns FROM information_schema.columns
  WHERE table_schema = 'public' GROUP BY table_name`

/** Copies the rows of a seeded file to an empty PostgreSQL database, whose tables the service makes itself. */
export const copyToPostgres = async (seeded: string, { service }: Build, url: string): Promise<void> => {
  await (await Process.start(service, url, { path: "/../../readyz" })).stop()
  const file = new DatabaseSync(seeded, { readOnly: true })
  const client = new Client({ connectionString: url })
  await client.connect()
  // Triggers count and refuse: the rows have been through theirs.
  await client.query("SET session_replication_role = replica")
  const { rows } = await client.query<{ name: string; columns: ReadonlyArray<string> }>(COLUMNS)
  for (const { columns, name } of rows) {
    if (file.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) === undefined) continue
    const list = columns.join(", ")
    const json = JSON.stringify(file.prepare(`SELECT ${list} FROM ${name}`).all())
    await client.query(`DELETE FROM ${name}`)
    await client.query({
      text: `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE
        SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1)`,
      values: [json]
    })
    if (!columns.includes("id")) continue
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${name}', 'id'), max(id)) FROM ${name} HAVING max(id) IS NOT NULL`
    )
  }
  await client.end()
  file.close()
}
