/** Processes of the service on one PostgreSQL database with the emulator's seed: account 1, its key, and plans. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { onTestFinished } from "vitest"
import { seed, SEED_KEY } from "#service/emulator/Seed"
import { createKey } from "#service/auth/Keys"
import { Accounts } from "#service/persistence/Accounts"
import { Transaction } from "#service/persistence/Transaction"
import { make, Secret } from "#service/config/Secret"
import * as Storage from "#service/persistence/Storage"
import { runCommand } from "./command.ts"
import { limitsLayer } from "./limits.ts"
import { query } from "./postgres.ts"
import { freshDatabase } from "./postgresProject.ts"
import { type ServiceProcess, startServiceWith } from "./serviceProcess.ts"

export const SECRET = "a-secret-of-the-tests-0123456789abcdef"

/** Everything below use cases, on the database of a URL. */
export const persistenceOn = (url: string) =>
  Layer.merge(Storage.layer(url), Layer.sync(Secret, () => make([SECRET]))).pipe(
    Layer.provideMerge(limitsLayer()),
    Layer.orDie,
    Layer.fresh
  )

/** Seeds an empty database, migrated or not. */
export const seedDatabase = (url: string): Promise<void> =>
  Effect.runPromise(
    Effect.flatMap(Transaction, ({ run }) => run(seed)).pipe(
      Effect.asVoid,
      Effect.orDie,
      Effect.provide(persistenceOn(url))
    )
  )

/** Creates accounts, each of another customer; returns their API keys. */
export const addCustomers = (url: string, customers: number): Promise<ReadonlyArray<string>> => {
  const add = Effect.fnUntraced(function*(index: number) {
    const [at, vat] = [Date.now(), { treatment: "domestic", rate: 2_100 } as const]
    const id = yield* (yield* Accounts).create({ email: `c${index}@example.test`, currency: "EUR", vat, at })
    return yield* createKey({ accountId: id, name: "first", scopes: ["vps:create"], expiresAt: null, at })
  })
  const numbers = Array.from({ length: customers }, (_, index) => index)
  return Effect.runPromise(
    Effect.flatMap(Transaction, ({ run }) => run(Effect.forEach(numbers, add))).pipe(
      Effect.map((keys) => keys.map(({ token }) => token)),
      Effect.orDie,
      Effect.provide(persistenceOn(url))
    )
  )
}

/** Lets all accounts buy as much and as often as they like. */
export const enrich = (url: string) =>
  query("UPDATE accounts SET wallet = 100000000, creates_per_minute = 1000000, creates_per_hour = 1000000", url)

/** A database of its own with the seed; returns its URL. */
export const seededDatabase = async (): Promise<string> => {
  const url = await freshDatabase()
  await seedDatabase(url)
  return url
}

/** The settings of every process on it. */
const environment = (database: string) => ({ VPS_SERVICE_DATABASE: database, VPS_SERVICE_SECRET: SECRET })

/** Has an operator's command done; returns its result. */
export const operate = async (database: string, ...args: ReadonlyArray<string>): Promise<unknown> => {
  const { code, stderr, stdout } = await runCommand(["admin", ...args, "-o", "json"], { env: environment(database) })
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/**
 * Starts one replica, with more settings if need be, and waits until it is ready. What the test leaves of it, also when
 * it fails, is killed.
 */
export const startReplica = async (
  database: string,
  settings: Readonly<Record<string, string>> = {},
  flags: ReadonlyArray<string> = []
): Promise<ServiceProcess> => {
  const few = { VPS_SERVICE_RATE_LIMITS: "false", VPS_SERVICE_DATABASE_CONNECTIONS: "5" }
  const replica = await startServiceWith({ env: { ...environment(database), ...few, ...settings } }, flags)
  onTestFinished(async () => void await replica.end("SIGKILL"))
  return replica
}

/** Starts several at once. */
export const startReplicas = (
  count: number,
  database: string,
  settings: Readonly<Record<string, string>> = {}
): Promise<ReadonlyArray<ServiceProcess>> =>
  Promise.all(Array.from({ length: count }, () => startReplica(database, settings)))

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Any JSON: tests check it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Sends a request to a replica with the seeded key, or another one. */
export const ask = async (
  { url }: ServiceProcess,
  method: string,
  path: string,
  { body, headers, key = SEED_KEY }: {
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
    readonly key?: string
  } = {}
): Promise<Answer> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
}

/** One number from the database. */
export const count = async (database: string, sql: string): Promise<number> => {
  const [row] = await query(sql, database)
  return Number(Object.values(row!)[0])
}

/** The invariants: journals sum to zero, balances match the ledger, and each order has one charge. */
export const books = async (database: string) => ({
  unbalanced: await count(
    database,
    "SELECT count(*) FROM (SELECT journal_id FROM entries GROUP BY journal_id HAVING sum(amount) <> 0) AS j"
  ),
  orders: await count(database, "SELECT count(*) FROM orders WHERE status = 'paid'"),
  charges: await count(database, "SELECT count(*) FROM journals WHERE kind = 'instance_create'"),
  machines: await count(database, "SELECT count(*) FROM simulated_machines"),
  wallet: await count(database, "SELECT wallet FROM accounts WHERE id = 1"),
  ledger: await count(database, "SELECT sum(amount) FROM entries WHERE account LIKE 'wallet%'")
})
