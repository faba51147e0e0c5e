/** A day in the life of a service with many instances: the same traffic every hour, on a clock that is moved. */
import { Pool } from "undici"
import type { ServiceProcess } from "./serviceProcess.ts"
import { until } from "./until.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Requests under way at once. */
const CONNECTIONS = 16

export const INSTANCES = 1_000

/** Of so many instances one is worked on each hour. */
const SHARE = 20

/** In the second half of an hour; the others are made in the first. */
export const SNAPSHOTS_PER_HOUR = INSTANCES / SHARE
export const TASKS_PER_HOUR = 5 * INSTANCES / SHARE + SNAPSHOTS_PER_HOUR

type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export const clientOf = ({ apiKey, origin }: ServiceProcess) => {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const ask: Ask = async (method, path, body, headers = {}) => {
    const answer = await pool.request({
      method: method as "GET",
      path,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text }
  }
  return { ask, close: () => pool.close() }
}

/** Does something for each number from 1 to `count`, many at once. */
const forEach = async (count: number, act: (number: number) => Promise<unknown>): Promise<void> => {
  let next = 1
  const worker = async (): Promise<void> => {
    while (next <= count) await act(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

const expectStatus = async (status: number, answer: Promise<Answer>): Promise<Answer> => {
  const { body, status: got } = await answer
  if (got !== status) throw new Error(`expected ${status}, got ${got}: ${JSON.stringify(body)}`)
  return { body, status: got }
}

/** Advances the frozen clock and waits until everything due is done. */
const advance = (ask: Ask, millis: number) => expectStatus(200, ask("POST", "/_emulator/clock", { advance_ms: millis }))

/** Buys the instances at midnight, and lets them be deployed. */
export const open = async (ask: Ask): Promise<void> => {
  // No operation meets another one, so that each hour is like the others.
  await expectStatus(200, ask("PUT", "/_emulator/deploy", { mode: "instant" }))
  await expectStatus(200, ask("POST", "/_emulator/wallet", { amount: 100 * INSTANCES }))
  const { body } = await expectStatus(200, ask("POST", "/_emulator/clock", { freeze: true }))
  await advance(ask, DAY - Date.parse(body.now) % DAY)
  await forEach(
    INSTANCES,
    (number) =>
      expectStatus(201, ask("POST", "/api/v1/instances", { service_id: 1 }, { "idempotency-key": `create-${number}` }))
  )
  await advance(ask, 5_000)
}

/** An hour in which every instance is read, and each twentieth is worked on. */
export const hour = async (ask: Ask): Promise<void> => {
  await forEach(INSTANCES, (id) => expectStatus(200, ask("GET", `/api/v1/instances/${id}`)))
  await forEach(INSTANCES / SHARE, async (part) => {
    const id = SHARE * part
    const path = `/api/v1/instances/${id}`
    for (const read of ["status", "metrics?range=30d", "tasks", "snapshots", "backups", "isos", "available-plans"]) {
      await expectStatus(200, ask("GET", `${path}/${read}`))
    }
    await expectStatus(200, ask("PATCH", `${path}/hostname`, { hostname: "web.example.test" }))
    await expectStatus(200, ask("POST", `${path}/reset-password`))
    await expectStatus(200, ask("POST", `${path}/rescue`))
    await expectStatus(200, ask("DELETE", `${path}/rescue`))
    await expectStatus(200, ask("POST", `${path}/restart`))
    const again = { "idempotency-key": `create-${id}` }
    await expectStatus(201, ask("POST", "/api/v1/instances", { service_id: 1 }, again))
    await expectStatus(200, ask("POST", "/api/v1/instances?dry_run=true", { service_id: 2 }))
    await expectStatus(401, ask("GET", path, undefined, { authorization: `Bearer nobody-${part}` }))
    await expectStatus(404, ask("GET", `/api/v1/instances/${INSTANCES + id}`))
    await expectStatus(422, ask("POST", `${path}/rdns`, { ip: `nowhere-${part}` }))
  })
  await advance(ask, HOUR / 2)
  // In turns, so that what is made in one hour is gone in the next.
  await forEach(INSTANCES / SHARE, async (part) => {
    const path = `/api/v1/instances/${SHARE * part}/snapshots`
    const [snapshot] = (await expectStatus(200, ask("GET", path))).body
    await expectStatus(
      200,
      snapshot === undefined ? ask("POST", path, { name: "hourly" }) : ask("DELETE", `${path}/${snapshot.id}`)
    )
  })
  await expectStatus(200, ask("GET", "/api/v1/instances"))
  await expectStatus(200, ask("GET", "/metrics"))
  await advance(ask, HOUR / 2)
}

/** Bytes in memory after a garbage collection; for a service with `collectGarbage.ts` loaded. */
export const memoryOf = async (service: ServiceProcess): Promise<{ heapUsed: number; rss: number }> => {
  const before = service.log().length
  process.kill(service.pid, "SIGUSR2")
  await until(() => service.log().slice(before).includes("heapUsed"))
  const line = service.log().slice(before).split("\n").find((each) => each.includes("heapUsed"))!
  return JSON.parse(line)
}
