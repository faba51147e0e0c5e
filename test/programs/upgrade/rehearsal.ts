/**
 * An upgrade from the first schema, as an operator does it: the new service is started on the old file, is killed while
 * it migrates, and started again. Then everything has to be there, and everything has to work.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { MIGRATIONS } from "#service/persistence/schema/Migrations"
import { command, request } from "../../support/operator.ts"
import { startServiceWith } from "../../support/serviceProcess.ts"
import { buildFirstSchema, countsOf, SECRET, TOKEN } from "./FirstSchema.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))

const ENV = { VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_SECRET: SECRET }

/** The log line at which the service is killed, in parts of the file: early, in the middle, late. */
const KILLED_AT = [0.05, 0.2, 0.4]

export interface Rehearsed {
  readonly rows: number
  readonly bytes: number
  readonly buildMillis: number
  /** The schema's version after each kill. */
  readonly killedAt: ReadonlyArray<number>
  /** From the start to the ready line, without a kill. */
  readonly upgradeMillis: number
  /** The same of the start after the kills: what they had left of the upgrade. */
  readonly restMillis: number
  /** The same start once the file is upgraded. */
  readonly startMillis: number
}

const versionIn = (path: string): number => {
  const connection = new DatabaseSync(path)
  try {
    return Number(connection.prepare("PRAGMA user_version").get()!["user_version"])
  } finally {
    connection.close()
  }
}

const logBytes = (path: string): number => existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0

/** Kills a service while it migrates: when its log has grown by so much. False when it was ready before. */
const killInMigration = async (path: string, bytes: number): Promise<boolean> => {
  const program = ["--conditions=pulumi-vps-source", "service/bin.ts", "--port", "0", "--database", path]
  const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], env: ENV })
  const exited = once(child, "exit")
  const ready = new AbortController()
  child.stdout.once("data", () => ready.abort())
  while (!ready.signal.aborted && logBytes(path) < bytes && child.exitCode === null) await new Promise(setImmediate)
  child.kill("SIGKILL")
  await exited
  return !ready.signal.aborted
}

const timed = async <A>(run: () => A | Promise<A>): Promise<readonly [A, number]> => {
  const began = performance.now()
  const value = await run()
  return [value, Math.round(performance.now() - began)]
}

const start = (path: string) => startServiceWith({ env: ENV }, ["--database", path, "--rate-limits=false"])

/** A customer of the first version finds the same data over HTTP. */
const lookAround = async (service: Awaited<ReturnType<typeof start>>, path: string): Promise<void> => {
  const ask = request(service, TOKEN)
  strictEqual((await ask("GET", "/whoami")).body.account_id, 1)
  const list = (await ask("GET", "/instances")).body as ReadonlyArray<Record<string, unknown>>
  strictEqual(list.length, 10)
  const { body } = await ask("GET", "/instances/7")
  deepStrictEqual([body.status, body.ipv4, body.order.status, body.order.config], [
    "running",
    "198.18.0.7",
    "paid",
    "{\"n\":7}"
  ])
  strictEqual((await ask("GET", "/instances/7/tasks")).body.total, 2)
  const bought = await ask("POST", "/instances", { service_id: 1 }, { "idempotency-key": "after-the-upgrade" })
  strictEqual(bought.status, 201)
  deepStrictEqual(await command(path, "ledger.verify", {}), { balanced: true, unbalanced: [], wrong_wallets: [] })
}

/** All rows of then, with what was bought since. */
const compare = (path: string, before: Readonly<Record<string, number>>): void => {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    const one = { orders: 1, instances: 1, tasks: 1, journals: 1, entries: 3, idempotency_keys: 1 }
    const expected = Object.entries(before).map((
      [table, rows]
    ) => [table, rows + (one[table as keyof typeof one] ?? 0)])
    deepStrictEqual(countsOf(connection), Object.fromEntries(expected))
    const nights = connection.prepare(
      "SELECT count(*) AS n FROM instances WHERE next_backup_at IS NULL AND lifecycle = 'active'"
    ).get()
    strictEqual(nights!["n"], 0)
    deepStrictEqual(connection.prepare("PRAGMA foreign_key_check").all(), [])
  } finally {
    connection.close()
  }
}

/** Upgrades a file and checks that all of it exists; returns how long the start took. */
const upgrade = async (path: string, before: Readonly<Record<string, number>>): Promise<number> => {
  const [service, millis] = await timed(() => start(path))
  await lookAround(service, path).catch(async (cause: unknown) => {
    await service.end("SIGKILL")
    throw cause
  })
  strictEqual(await service.end(), 0)
  strictEqual(versionIn(path), MIGRATIONS.length)
  compare(path, before)
  return millis
}

/** Builds the file at a path that is free, and upgrades it. Throws when anything is not as it was. */
export const rehearse = async (path: string, rows: number): Promise<Rehearsed> => {
  const [before, buildMillis] = await timed(() => buildFirstSchema(path, rows))
  const bytes = statSync(path).size
  const straight = `${path}.straight`
  copyFileSync(path, straight)
  const upgradeMillis = await upgrade(straight, before)
  const killedAt: Array<number> = []
  for (const part of KILLED_AT) {
    if (await killInMigration(path, bytes * part)) killedAt.push(versionIn(path))
  }
  ok(killedAt.length > 0, "the service was ready before it could be killed")
  const restMillis = await upgrade(path, before)
  const [again, startMillis] = await timed(() => start(path))
  strictEqual(await again.end(), 0)
  const total = Object.values(before).reduce((sum, count) => sum + count, 0)
  return { rows: total, bytes, buildMillis, upgradeMillis, killedAt, restMillis, startMillis }
}
