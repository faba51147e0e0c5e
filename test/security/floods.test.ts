/** Floods from one address: its connections and queues are bounded; other clients and health checks are answered. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { head } from "./raw.ts"
import { until } from "../support/until.ts"

const LIMITS = {
  VPS_SERVICE_CONNECTIONS_MAX: "60",
  VPS_SERVICE_CONNECTIONS_PER_ADDRESS_MAX: "25",
  VPS_SERVICE_HEALTH_CONNECTIONS_MAX: "10",
  VPS_SERVICE_HEALTH_CONNECTION_MILLIS: "60000",
  VPS_SERVICE_WAITING_REQUESTS_MAX: "10000",
  // So slow that no request becomes free again while a test runs, on a busy machine either.
  VPS_SERVICE_UNAUTHENTICATED_PER_MINUTE: "1",
  VPS_SERVICE_UNREAD_BYTES_MAX: String(8 * 1024 * 1024)
}

const running: Array<ServiceProcess> = []
const open: Array<Socket> = []
const start = async (...flags: ReadonlyArray<string>) => {
  const service = await startServiceWith({ env: LIMITS }, ["--emulator", "--rate-limits", ...flags])
  running.push(service)
  return service
}
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await Promise.all(running.map(({ end }) => end()))
})

/** A connection from one of the loopback addresses. */
const opened = async ({ origin }: ServiceProcess, localAddress = "127.0.0.1") => {
  const socket = connect({ port: Number(new URL(origin).port), host: "127.0.0.1", localAddress })
  open.push(socket)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const heard = {
    socket,
    closed,
    text: "",
    statuses: () => [...heard.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, s]) => s)
  }
  socket.on("data", (chunk) => heard.text += chunk.toString("latin1")).on("error", () => undefined)
  await once(socket, "connect")
  return heard
}

/** The status of one request on a connection of its own; undefined if the connection was closed without a response. */
const statusOf = async (service: ServiceProcess, path: string, from?: string, ...headers: ReadonlyArray<string>) => {
  const heard = await opened(service, from)
  heard.socket.write(head(`GET ${path}`, "Connection: close", ...headers))
  await heard.closed
  return heard.statuses()[0]
}

/** Read from an address that no test floods. */
const metric = async (service: ServiceProcess, name: string) => {
  const heard = await opened(service, "127.0.0.9")
  heard.socket.write(head("GET /metrics", "Connection: close"))
  await heard.closed
  return Number(heard.text.split("\n").find((line) => line.startsWith(`${name} `))?.split(" ").at(-1) ?? 0)
}

const linesOf = (service: ServiceProcess) =>
  service.log().trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

/** Without limits of an address, which would end most floods early. */
let unlimited: ServiceProcess
beforeAll(async () => {
  unlimited = await start("--rate-limits=false")
})

describe("requests sent ahead", () => {
  const control = (service: ServiceProcess, body: object) =>
    fetch(`${service.origin}/_emulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })

  it("behind a slow one are bounded in memory, and answered in order", async () => {
    const service = unlimited
    await control(service, { operation: "account.whoami", latency_ms: 1_500, count: 1 })
    const before = await metric(service, "process_resident_memory_bytes")
    const heard = await opened(service)
    const key = `Authorization: Bearer ${service.apiKey}`
    const ahead = 100_000
    heard.socket.write(head("GET /api/v1/whoami", key))
    await new Promise((sent) => heard.socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".repeat(ahead), sent))
    assert.strictEqual(await statusOf(service, "/livez"), "200")
    const during = await metric(service, "process_resident_memory_bytes")
    assert.isBelow(during - before, 100 * 1024 * 1024)
    await until(() => heard.text.length > 500_000)
    assert.include(heard.text.slice(0, 1_000), "account_id", "nothing overtakes the first request")
    heard.socket.destroy()
    assert.isTrue(linesOf(service).every(({ level }) => level !== "WARN"), service.log())
  })

  it("on many connections are handled in turn, so that a health check does not wait for them", async () => {
    const service = unlimited
    const each = 2_000
    const all = await Promise.all(Array.from({ length: 20 }, () => opened(service)))
    for (const { socket } of all) socket.write("GET /api/v1/whoami HTTP/1.1\r\nHost: a\r\n\r\n".repeat(each))
    await once(all[0]!.socket, "data")
    assert.strictEqual(await statusOf(service, "/livez"), "200")
    const answered = all.map(({ statuses }) => statuses().length)
    assert.isBelow(Math.max(...answered), each / 4)
    assert.isBelow(Math.max(...answered) - Math.min(...answered), each / 4, "none is preferred")
    for (const { socket } of all) socket.destroy()
  })

  it("by more clients than the service holds requests for are dropped, counted and logged", async () => {
    const service = unlimited
    await control(service, { operation: "account.whoami", latency_ms: 60_000, count: 20 })
    const first = head("GET /api/v1/whoami", `Authorization: Bearer ${service.apiKey}`)
    const all = await Promise.all(Array.from({ length: 20 }, () => opened(service)))
    for (const { socket } of all) socket.write(first + "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_000))
    await until(() => all.some(({ socket }) => socket.destroyed))
    assert.isTrue(all.some(({ socket }) => !socket.destroyed))
    assert.isAbove(await metric(service, `vps_http_dropped_total{reason="pipelining"}`), 0)
    const line = linesOf(service).find(({ reason }) => reason === "pipelining")
    assert.deepInclude(line, { level: "WARN", last_client: "127.0.0.1" })
    for (const { socket } of all) socket.destroy()
  })

  it("without a key are discarded once their address has used its limit", async () => {
    const service = await start()
    const heard = await opened(service)
    heard.socket.write("GET /api/v1/whoami HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000))
    await heard.closed
    const statuses = heard.statuses()
    assert.strictEqual(statuses.at(-1), "429")
    assert.strictEqual(statuses.indexOf("429"), statuses.length - 1)
    assert.isBelow(statuses.length, 50)
    for (const path of ["/openapi.json", "/docs", "/docs/reference.js", "/nothing", "/api/v1/nothing"]) {
      assert.strictEqual(await statusOf(service, path), "429", path)
      assert.notStrictEqual(await statusOf(service, path, "127.0.0.2"), "429", path)
    }
    for (const path of ["/livez", "/readyz", "/metrics"]) assert.strictEqual(await statusOf(service, path), "200")
    const key = `Authorization: Bearer ${service.apiKey}`
    assert.strictEqual(await statusOf(service, "/api/v1/whoami", undefined, key), "200")
  })
})

describe("idle connections", () => {
  let service: ServiceProcess
  beforeAll(async () => {
    service = await start()
  })

  it("of one address leave places for other addresses, and for its health checks", async () => {
    const idle = await Promise.all(Array.from({ length: 25 }, () => opened(service)))
    assert.strictEqual(await statusOf(service, "/livez"), "200")
    assert.strictEqual(await statusOf(service, "/readyz"), "200")
    assert.strictEqual(await statusOf(service, "/api/v1/whoami"), "503")
    assert.strictEqual(await statusOf(service, "/api/v1/whoami", "127.0.0.2"), "401")
    const reserved = await Promise.all(Array.from({ length: 4 }, () => opened(service)))
    assert.isUndefined(await statusOf(service, "/livez"), "an address has few of the reserved places")
    assert.strictEqual(await statusOf(service, "/livez", "127.0.0.2"), "200")
    for (const { socket } of [...idle, ...reserved]) socket.destroy()
    await until(async () => await statusOf(service, "/api/v1/whoami") === "401")
    assert.isAtLeast(await metric(service, `vps_http_dropped_total{reason="address"}`), 2)
  })

  it("of many addresses leave places for health checks", async () => {
    const from = (last: number) => Array.from({ length: 20 }, () => opened(service, `127.0.0.${last}`))
    const idle = await Promise.all([1, 2, 3].flatMap(from))
    assert.strictEqual(await statusOf(service, "/livez", "127.0.0.4"), "200")
    assert.strictEqual(await statusOf(service, "/api/v1/whoami", "127.0.0.4"), "503")
    for (const { socket } of idle) socket.destroy()
    await until(async () => await statusOf(service, "/api/v1/whoami", "127.0.0.4") === "401")
    assert.isAtLeast(await metric(service, `vps_http_dropped_total{reason="connections"}`), 1)
    const lines = linesOf(service).filter(({ reason }) => reason === "connections")
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], { level: "WARN", count: 1, last_client: "127.0.0.4" })
  })

  it("of a trusted proxy are not those of one client, and a 429 does not close them", async () => {
    const proxied = await start("--trusted-proxies", "127.0.0.1")
    const idle = await Promise.all(Array.from({ length: 30 }, () => opened(proxied)))
    const [first] = idle
    const from = (client: string) => head("GET /api/v1/whoami", `X-Forwarded-For: ${client}`)
    first!.socket.write(from("198.51.100.7").repeat(40) + from("198.51.100.8"))
    await until(() => first!.statuses().length === 41)
    const statuses = first!.statuses()
    assert.deepStrictEqual(new Set(statuses.slice(0, 30)), new Set(["401"]))
    assert.deepStrictEqual(statuses.slice(39), ["429", "401"])
  })
})

describe("responses that are not read", () => {
  it("are bounded together: the oldest is dropped, and a client that reads is answered", async () => {
    const service = unlimited
    const deaf = await Promise.all(Array.from({ length: 10 }, () => opened(service)))
    for (const { socket } of deaf) {
      socket.pause()
      // Two do not fit into the buffers of the operating system.
      socket.write(head("GET /docs/reference.js").repeat(4))
    }
    await until(async () => await metric(service, `vps_http_dropped_total{reason="unread"}`) > 0)
    const response = await fetch(`${service.origin}/docs/reference.js`)
    assert.isAbove((await response.text()).length, 1_000_000)
    for (const { socket } of deaf) socket.destroy()
  })
})
