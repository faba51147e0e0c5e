/** A database as the first version of the schema held it, with the requested number of rows. */
import { DatabaseSync } from "node:sqlite"
import { tokenOf } from "#service/auth/ApiKeyToken"
import { migrate } from "#service/persistence/sqlite/Migrate"
import { make } from "#service/config/Secret"

/** The service's, in the environment of the process that opens such a file. */
export const SECRET = "secret-of-the-first-schema-0123456789"

/** The key of account 1, which has the first ten instances. */
export const TOKEN = tokenOf("firstSchema".padEnd(32, "0"))

/** An instance has an order, a charge of three lines, two tasks and an idempotency key; ten share an account. */
const ROWS_PER_INSTANCE = 9.4

const INSTANCES_PER_ACCOUNT = 10

const instancesFor = (rows: number): number =>
  Math.ceil(rows / ROWS_PER_INSTANCE / INSTANCES_PER_ACCOUNT) * INSTANCES_PER_ACCOUNT

const TABLES = [
  "accounts",
  "api_keys",
  "orders",
  "instances",
  "tasks",
  "journals",
  "entries",
  "idempotency_keys"
] as const

const PRICE = 499
const VAT = 80
const PAID_IN = 100_000

/** A month ago, in SQL: nothing of it is old enough to be forgotten. */
const MADE = "(unixepoch() - 30 * 86400) * 1000"

/** So far ahead that nothing falls due while it is looked at. */
const EXPIRES = "(unixepoch() + 365 * 86400) * 1000"

const SPENT = PRICE * INSTANCES_PER_ACCOUNT

/** The n-th instance belongs to the account of its ten. */
const OWNER = `((n - 1) / ${INSTANCES_PER_ACCOUNT} + 1)`

const catalogue = `
INSERT INTO data_centres VALUES (1, 'Frankfurt');
INSERT INTO images VALUES (1, 'debian-12', 'Debian', '12', NULL, 'linux');
INSERT INTO data_centre_images VALUES (1, 1, 1);
INSERT INTO plans VALUES (1, 'VPS S', 'vps-s', NULL, ${PRICE}, 'EUR', 'monthly', 'vps', NULL, 1, 1, 0, 1, ${MADE});
`

const accounts = (count: number) => `
CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY);
INSERT INTO numbers
  WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < ${count}) SELECT n FROM up;
INSERT INTO accounts SELECT n, 'a' || n || '@example.test', 'EUR', 'domestic', 1900, ${PAID_IN - SPENT}, ${MADE}
  FROM numbers WHERE n <= ${count / INSTANCES_PER_ACCOUNT};
INSERT INTO api_keys SELECT id, id, 'key', 'vps_live_', 'last', 'digest-' || id, 'vps:create', ${MADE}, NULL, NULL, NULL
  FROM accounts;
INSERT INTO journals SELECT id, id, 'top_up', 'top_up:' || id, 'EUR', ${MADE} FROM accounts;
INSERT INTO entries SELECT id, 0, 'wallet:' || id, ${PAID_IN} FROM accounts;
INSERT INTO entries SELECT id, 1, 'bank', -${PAID_IN} FROM accounts;
`

const instances = (count: number) => {
  const journal = `n + ${count / INSTANCES_PER_ACCOUNT}`
  return `
INSERT INTO orders SELECT n, ${OWNER}, 1, 'paid', '{"n":' || n || '}', ${PRICE}, ${MADE} + n, ${MADE} + n FROM numbers;
INSERT INTO instances SELECT n, ${OWNER}, n, 'active', 'on', 'disk', 'host-' || n, 'debian-12', 'sim-' || n,
  '198.18.' || (n / 256 % 256) || '.' || (n % 256), NULL, '{}', NULL, 1, ${EXPIRES}, ${MADE} + n FROM numbers;
INSERT INTO journals SELECT ${journal}, ${OWNER}, 'instance_create', 'instance_create:order:' || n, 'EUR', ${MADE} + n
  FROM numbers;
INSERT INTO entries SELECT ${journal}, 0, 'wallet:' || ${OWNER}, -${PRICE} FROM numbers;
INSERT INTO entries SELECT ${journal}, 1, 'revenue', ${PRICE - VAT} FROM numbers;
INSERT INTO entries SELECT ${journal}, 2, 'vat', ${VAT} FROM numbers;
INSERT INTO tasks SELECT 2 * n - t, n, 'operation', iif(t = 1, 'provision', 'restart'), 'succeeded', 100, 'api_key',
  ${OWNER}, 'req-' || n, NULL, '{}', NULL, 1, NULL, 1, NULL, ${MADE} + n, ${MADE} + n, ${MADE} + n
  FROM numbers, (SELECT 1 AS t UNION ALL SELECT 0);
INSERT INTO idempotency_keys
  SELECT ${OWNER}, printf('%032x%032x', n, n), '{"service_id":"0123456789abcdef"}', n, ${MADE} + n FROM numbers;
`
}

/** Rows by table, of what customers and the ledger have. */
export const countsOf = (connection: DatabaseSync): Readonly<Record<string, number>> =>
  Object.fromEntries(
    TABLES.map((table) => [table, Number(connection.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"])])
  )

/** Writes the file, in one transaction. */
export const buildFirstSchema = (path: string, rows: number): Readonly<Record<string, number>> => {
  const count = instancesFor(rows)
  const connection = new DatabaseSync(path)
  try {
    connection.exec("PRAGMA synchronous = OFF")
    migrate(connection, 1)
    connection.exec(`BEGIN; ${catalogue} ${accounts(count)} ${instances(count)} COMMIT`)
    // Versions without ids stored the digest alone.
    const digest = make([SECRET]).digest(TOKEN).split(":")[1]!
    connection.prepare("UPDATE api_keys SET digest = ? WHERE id = 1").run(digest)
    return countsOf(connection)
  } finally {
    connection.close()
  }
}
