/** The statements and commits of a create with its deployment on SQLite, counted in a process. */
import { assert, describe, it } from "vitest"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const COUNTER = fileURLToPath(new URL("../programs/bench/statements.ts", import.meta.url))

/** Creates whose statements are counted. */
const CREATES = 40

/** Per create, with what the worker, the scheduler and the simulated driver do until it runs, and with its mail. */
const STATEMENTS_MAX = 30
const COMMITS_MAX = 1.5

const call = async ({ apiKey, origin }: ServiceProcess, method: string, path: string, body?: object) => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  assert.isTrue(response.ok, await response.clone().text())
}

/** The statements since the last call, by text. */
const take = async (service: ServiceProcess, path: string): Promise<Record<string, number>> => {
  process.kill(service.pid, "SIGUSR2")
  await until(() => existsSync(path))
  renameSync(path, `${path}.taken`)
  return JSON.parse(readFileSync(`${path}.taken`, "utf8"))
}

/** Records that a task has succeeded. */
const FINISHES = "UPDATE tasks SET status = ?3"

/** Buys one instance after the other, until all of them are running; returns the statements, by text. */
const create = async (service: ServiceProcess, path: string): Promise<ReadonlyMap<string, number>> => {
  for (let count = 0; count < CREATES; count++) await call(service, "POST", "/api/v1/instances", { service_id: 1 })
  const counts = new Map<string, number>()
  for (let finished = 0; finished < CREATES;) {
    for (const [text, count] of Object.entries(await take(service, path))) {
      counts.set(text, (counts.get(text) ?? 0) + count)
      if (text.includes(FINISHES)) finished += count
    }
  }
  return counts
}

describe("a create with its deployment, one after the other", () => {
  it(`executes at most ${STATEMENTS_MAX} statements and ${COMMITS_MAX} commits`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-cost-"))
    const path = join(folder, "statements.json")
    // A longer delay than by default: on a busy machine the next create comes later.
    const env = { BENCH_STATEMENTS: path, VPS_SERVICE_COMMIT_DELAY_MILLIS: "500" }
    const flags = ["--emulator", "--database", join(folder, "cost.db")]
    const service = await startServiceWith({ node: ["--import", COUNTER], env }, flags)
    try {
      await call(service, "PUT", "/_emulator/deploy", { mode: "instant" })
      await call(service, "POST", "/_emulator/wallet", { amount: 10_000 })
      await create(service, path)
      const counts = await create(service, path)
      const sum = [...counts.values()].reduce((total, count) => total + count, 0)
      const shown = [...counts].toSorted(([, one], [, other]) => other - one).map(([text, count]) => `${count} ${text}`)
      assert.isAtMost(sum / CREATES, STATEMENTS_MAX, shown.join("\n"))
      assert.isAtMost(counts.get("COMMIT")! / CREATES, COMMITS_MAX, "commits")
    } finally {
      await service.end("SIGKILL")
      rmSync(folder, { recursive: true })
    }
  }, 60_000)
})
