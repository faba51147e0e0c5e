/** Processes of the service on one PostgreSQL database with the emulator's seed: account 1, its key, and plans. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { seed, SEED_KEY } from "#service/emulator/Seed"
import { Transaction } from "#service/persistence/Transaction"
import { make, Secret } from "#service/Secret"
import * as Storage from "#service/Storage"
import { freshDatabase } from "./postgresProject.ts"
import { type ServiceProcess, startServiceWith } from "./serviceProcess.ts"

const SECRET = "a-secret-of-the-tests-0123456789abcdef"

/** Everything below use cases, on the database of a URL. */
export const persistenceOn = (url: string) =>
  Layer.merge(Storage.layer(url), Layer.sync(Secret, () => make([SECRET]))).pipe(Layer.orDie, Layer.fresh)

/** Sows the emulator's seed into an empty database, migrated or not. */
export const sow = (url: string): Promise<void> =>
  Effect.runPromise(
    Effect.flatMap(Transaction, ({ run }) => run(seed)).pipe(
      Effect.asVoid,
      Effect.orDie,
      Effect.provide(persistenceOn(url))
    )
  )

/** A database of its own with the seed; answers its URL. */
export const sownDatabase = async (): Promise<string> => {
  const url = await freshDatabase()
  await sow(url)
  return url
}

/** Starts one replica, with more settings if need be, and waits until it is ready. */
export const startReplica = (
  database: string,
  settings: Readonly<Record<string, string>> = {}
): Promise<ServiceProcess> =>
  startServiceWith({
    env: {
      VPS_SERVICE_DATABASE: database,
      VPS_SERVICE_SECRET: SECRET,
      VPS_SERVICE_RATE_LIMITS: "false",
      VPS_SERVICE_DATABASE_CONNECTIONS: "5",
      ...settings
    }
  }, [])

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
  /** Whatever came: tests look into it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Asks a replica with the seeded key, or another one. */
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
