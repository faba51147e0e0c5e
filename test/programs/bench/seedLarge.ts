/** Fills a database that has one instance with copies of it, in SQL, the same on SQLite and on PostgreSQL. */
import { DatabaseSync } from "node:sqlite"
import { Client } from "pg"

/** Tasks per instance: the provision that exists already, and others. */
export const TASKS = 50
/** Per account. */
const INSTANCES = 10
export const HOSTS = 50

/** A connection without the service. */
interface Connection {
  readonly run: (sql: string) => Promise<unknown>
  readonly columns: (table: string) => Promise<ReadonlyArray<string>>
  /** The rows of a table of numbers from 1. */
  readonly numbers: (last: number) => string
  readonly close: () => Promise<void>
}

const openFile = async (path: string): Promise<Connection> => {
  const db = new DatabaseSync(path)
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  return {
    run: async (sql) => db.exec(sql),
    columns: async (table) =>
      db.prepare("SELECT name FROM pragma_table_info(?)").all(table).map((row) => String(row["name"])),
    numbers: (last) =>
      `WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c WHERE id < ${last}) SELECT id FROM c`,
    close: async () => db.close()
  }
}

const openServer = async (url: string): Promise<Connection> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  // Checks each reference by a statement of its own otherwise.
  await client.query("SET session_replication_role = replica")
  return {
    run: (sql) => client.query(sql),
    columns: async (table) => {
      const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`)
      return fields.map(({ name }) => name)
    },
    numbers: (last) => `SELECT id FROM generate_series(1, ${last}) AS id`,
    close: async () => {
      for (const table of ["accounts", "orders", "instances", "tasks", "journals"]) {
        await client.query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table}`)
      }
      // As autovacuum does it in production.
      await client.query("VACUUM ANALYZE")
      await client.end()
    }
  }
}

/** The account of an instance: those of one account are far apart, as they are bought over years. */
export const accountOf = (instance: number, instances: number): number => 1 + (instance - 1) % (instances / INSTANCES)

const address = (number: string) =>
  `'10.' || ((${number}) / 65536) || '.' || ((${number}) / 256 % 256) || '.' || ((${number}) % 256)`

/** Journals and entries of each order: bought, and renewed twice. */
const writeLedger = async ({ run }: Connection, owner: string, instances: number): Promise<void> => {
  for (const [index, kind] of ["instance_create", "instance_renew", "instance_renew"].entries()) {
    const id = `${100 + index * instances} + n.id`
    await run(`INSERT INTO journals (id, account_id, kind, reference, currency, created_at)
      SELECT ${id}, ${owner}, '${kind}', 'seed-${index}-' || n.id, 'EUR', 0 FROM n`)
    for (
      const [line, [account, amount]] of [[`'wallet:' || ${owner}`, -999], ["'revenue'", 839], ["'vat'", 160]].entries()
    ) {
      await run(
        `INSERT INTO entries (journal_id, line, account, amount) SELECT ${id}, ${line}, ${account}, ${amount} FROM n`
      )
    }
  }
}

/** Reserves a host and an address for each instance; as many addresses are free. */
const place = async ({ run }: Connection, owner: string, instances: number): Promise<void> => {
  await run(`INSERT INTO reservations (instance_id, host_id, account_id, cpus, memory_mib, disk_gib)
    SELECT n.id, 1 + n.id % ${HOSTS}, ${owner}, 2, 4096, 80 FROM n`)
  const used = (column: string) => `(SELECT sum(${column}) FROM reservations r WHERE r.host_id = hosts.id)`
  await run(`UPDATE hosts SET used_cpus = ${used("r.cpus")}, used_memory_mib = ${used("r.memory_mib")},
    used_disk_gib = ${used("r.disk_gib")}`)
  await run(`INSERT INTO address_pools (id, network, gateway, prefix, data_center_id, created_at)
    VALUES (1, '10.0.0.0/8', '10.255.255.254', 8, 1, 0)`)
  await run(
    `INSERT INTO addresses (address, pool_id, instance_id, free_at) SELECT ${address("n.id")}, 1, n.id, 0 FROM n`
  )
  await run(`INSERT INTO addresses (address, pool_id, instance_id, free_at)
    SELECT ${address(`n.id + ${instances}`)}, 1, NULL, 0 FROM n`)
}

/** The database has account 1, instance 1 with its order and its task, and hosts. */
export const enlarge = async (database: string, instances: number, tasks = TASKS): Promise<void> => {
  const connection = await (database.startsWith("postgres:") ? openServer : openFile)(database)
  const { columns, numbers, run } = connection
  const copy = async (table: string, changed: Readonly<Record<string, string>>, from = "n"): Promise<void> => {
    const names = await columns(table)
    const values = names.map((column) => changed[column] ?? `t.${column}`)
    await run(`INSERT INTO ${table} (${names.join(", ")})
      SELECT ${
      values.join(", ")
    } FROM ${from} CROSS JOIN (SELECT * FROM ${table} ORDER BY 1 LIMIT 1) AS t WHERE n.id > 1`)
  }
  const accounts = instances / INSTANCES
  const owner = `(1 + (n.id - 1) % ${accounts})`
  await run(`CREATE TEMPORARY TABLE n AS ${numbers(instances)}`)
  await run(`CREATE TEMPORARY TABLE k AS ${numbers(tasks - 1)}`)
  await run("BEGIN")
  await copy(
    "accounts",
    { id: "n.id", email: "'person-' || n.id || '@example.test'" },
    `(SELECT id FROM n WHERE id <= ${accounts}) AS n`
  )
  await copy("orders", { id: "n.id", account_id: owner })
  await copy("instances", {
    id: "n.id",
    account_id: owner,
    order_id: "n.id",
    provider_id: "'sim-' || n.id",
    task_count: String(tasks)
  })
  await copy("tasks", { id: "n.id", instance_id: "n.id" })
  await run(`UPDATE instances SET task_count = ${tasks} WHERE id = 1`)
  const later = {
    id: `k.id * ${instances} + n.id`,
    instance_id: "n.id",
    created_at: `t.created_at + k.id`,
    type: "'restart'"
  }
  await copy("tasks", later, "k CROSS JOIN n")
  await copy("idempotency_keys", {
    instance_id: "n.id",
    digest: `(CAST(n.id AS BIGINT) * 7919 % ${instances}) || '-' || n.id`
  })
  await writeLedger(connection, owner, instances)
  await place(connection, owner, instances)
  await run("COMMIT")
  await connection.close()
}
