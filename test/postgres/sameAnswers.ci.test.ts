/** Every endpoint answers on PostgreSQL as it does on SQLite, refusals included, and the books come to the same. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, seedDatabase, seededDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { temporaryFolder } from "../support/temporary.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd"
const ONE = "/instances/1"

type Step = readonly [method: string, path: string, body?: unknown, key?: string]

/** Each waits until no task is open. */
const STEPS: ReadonlyArray<Step> = [
  ["GET", ""],
  ["GET", "/whoami"],
  ["GET", "/services"],
  ["GET", "/services/1/os-options"],
  ["POST", "/instances?dry_run=true", { service_id: 1, coupon_code: "WELCOME10" }],
  ["POST", "/instances", { service_id: 1, hostname: "web.example.test", ssh_pubkey: KEY, coupon_code: "MINUS5" }, "a"],
  ["POST", "/instances", { service_id: 2 }, "a"],
  ["POST", "/instances", { service_id: 1, coupon_code: "MINUS5" }],
  ["POST", "/instances", { service_id: 99 }],
  ["POST", "/instances", { service_id: 5 }, "b"],
  ["GET", ONE],
  ["GET", "/instances"],
  ["GET", `${ONE}/status`],
  ["GET", `${ONE}/available-plans`],
  ["GET", `${ONE}/metrics?range=1h`],
  ["POST", `${ONE}/stop`],
  ["POST", `${ONE}/stop`],
  ["POST", `${ONE}/start`],
  ["POST", `${ONE}/restart`],
  ["PATCH", `${ONE}/hostname`, { hostname: "db.example.test" }],
  ["POST", `${ONE}/rdns`, { ip: "192.0.2.99", ptr: "db.example.test" }],
  ["POST", `${ONE}/reset-password`],
  ["POST", `${ONE}/snapshots`, { name: "one" }],
  ["GET", `${ONE}/snapshots`],
  ["POST", `${ONE}/snapshots/1/restore`],
  ["DELETE", `${ONE}/snapshots/1`],
  ["GET", `${ONE}/isos`],
  ["POST", `${ONE}/iso`, { iso_id: 1 }],
  ["DELETE", `${ONE}/iso`],
  ["POST", `${ONE}/rescue`],
  ["POST", `${ONE}/resize`, { service_id: 2 }],
  ["DELETE", `${ONE}/rescue`],
  ["POST", `${ONE}/resize`, { service_id: 2 }],
  ["POST", `${ONE}/resize`, { service_id: 2 }],
  ["POST", `${ONE}/reinstall`, { os: "ubuntu-24.04" }],
  ["GET", `${ONE}/backups`],
  ["POST", `${ONE}/backups/1/restore`],
  ["GET", `${ONE}/tasks?limit=100`],
  ["GET", ONE],
  ["GET", "/instances"],
  ["GET", "/instances/99999999999999999999"],
  ["GET", "/instances/2/snapshots"]
]

/** Times and random values, which only have to be present in every answer. */
const MOMENT = /^\d{4}-\d\d-\d\dT/
const PORT = /^(http:\/\/127\.0\.0\.1):\d+/
const BY_CHANCE = new Set([
  "root_password",
  "password",
  "request_id",
  "uptime_seconds",
  "sample",
  "samples",
  "charge_amount"
])

const plain = (value: unknown, name = ""): unknown => {
  // Written some time after the use.
  if (name === "last_used_at") return "a moment or null"
  if (value === null) return null
  if (BY_CHANCE.has(name)) return typeof value
  if (typeof value === "string") return MOMENT.test(value) ? "a moment" : value.replace(PORT, "$1")
  if (Array.isArray(value)) return value.map((each) => plain(each))
  if (typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, key)]))
}

/** No instance has an open task. */
const idle = (service: ServiceProcess) =>
  until(
    () => Promise.all([1, 2].map((id) => ask(service, "GET", `/instances/${id}/status`))),
    (answers) => answers.every(({ body, status }) => status === 404 || body.task === null)
  )

/** Takes the steps; returns what each was answered. */
const play = async (database: string): Promise<ReadonlyArray<unknown>> => {
  const service = await startReplica(database)
  const answers: Array<unknown> = []
  for (const [method, path, body, key] of STEPS) {
    await idle(service)
    const headers = key === undefined ? {} : { "idempotency-key": key }
    const answer = await ask(service, method, path, { body, headers })
    answers.push([method, path, answer.status, answer.headers.get("location"), plain(answer.body)])
  }
  await idle(service)
  const metrics = await fetch(`${service.origin}/metrics`)
  answers.push(metrics.status)
  await service.end()
  return answers
}

describe.skipIf(noPostgres)("a service on PostgreSQL", () => {
  it("responds like one on SQLite", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const path = join(folder, "x.db")
      const onSqlite = yield* Effect.promise(() => seedDatabase(path).then(() => play(path)))
      const onPostgres = yield* Effect.promise(() => seededDatabase().then(play))
      assert.deepStrictEqual(onPostgres, onSqlite)
      const statuses = new Set(onPostgres.map((answer) => Array.isArray(answer) ? answer[2] : answer))
      assert.deepStrictEqual([...statuses].toSorted(), [200, 201, 400, 404, 409, 422])
    }).pipe(Effect.scoped, Effect.runPromise))
})
