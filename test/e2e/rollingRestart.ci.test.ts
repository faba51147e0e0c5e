/** Restarts of the built service under load: no request is lost. */
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { SEED_KEY } from "#service/emulator/Seed"
import { ROOT } from "../support/consumer.ts"
import { isNginxInstalled, runNginx } from "../support/nginx.ts"
import { freePort } from "../support/port.ts"
import { isAvailable, startPostgres } from "../support/postgres.ts"
import { seedDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"

/** The settings of the guide for these replicas, with a port of ours. */
const guided = (ports: ReadonlyArray<number>, port: number): string => {
  const [, block = ""] = /```nginx\n(upstream vps \{.*?)```/s.exec(
    readFileSync(join(ROOT, "docs/operating.md"), "utf8")
  )!
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=5s;`)
  const text = block.replace(/( *server 10\..*\n)+/, `${servers.join("\n")}\n`).replace("443 ssl", `127.0.0.1:${port}`)
  return `worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n${text}}\n`
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly key?: string
}

/** The status, or the code of the error. */
const send = (origin: string, agent: Agent, { key, method, path }: Sent): Promise<number | string> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${SEED_KEY}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key })
    }
    const sent = request(`${origin}/api/v1${path}`, { agent, method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!))
    })
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end(key === undefined ? undefined : JSON.stringify({ service_id: 1 }))
  })

/** Each client sends one request after the other; of `every`, one is a purchase, and none if it is 0. */
const startClients = (origin: string, clients: number, every: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const seen = new Map<number | string, number>()
  const over = new AbortController()
  let sent = 0
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const number = sent++
      const isPurchase = every > 0 && number % every === 0
      const answer = await send(
        origin,
        agent,
        isPurchase ? { method: "POST", path: "/instances", key: `key-${number}` } : { method: "GET", path: "/services" }
      )
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
      if (answer === "ECONNREFUSED") await setTimeout(1)
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    seen,
    sent: () => sent,
    stop: async () => {
      over.abort()
      await Promise.all(running)
      agent.destroy()
    }
  }
}

const LAME_DUCK = { VPS_SERVICE_LAME_DUCK_MILLIS: "5000" }

const CLIENTS = 16

describe("SIGTERM under load", () => {
  it("requests on open connections are answered: none is reset", async () => {
    const service = await startServiceWith({ env: LAME_DUCK }, ["--emulator"])
    onTestFinished(async () => void await service.end("SIGKILL"))
    const clients = startClients(service.origin, CLIENTS, 0)
    await until(() => Promise.resolve(clients.sent()), (sent) => sent > 500)
    assert.strictEqual(await service.end(), 0)
    await clients.stop()
    const { 200: done = 0, ECONNREFUSED: _, ...others } = Object.fromEntries(clients.seen)
    assert.isAbove(done, 500)
    assert.deepStrictEqual(others, {})
  })

  it("a request on a connection that was idle is answered in the lame-duck time, and closes it", async () => {
    const service = await startServiceWith({ env: LAME_DUCK }, ["--emulator"])
    onTestFinished(async () => void await service.end("SIGKILL"))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const listed = { method: "GET", path: "/services" }
    const sendHere = () => send(service.origin, agent, listed)
    assert.notStrictEqual(await sendHere(), "ECONNREFUSED")
    const ended = service.end()
    await until(() => Promise.resolve(service.log()), (log) => log.includes("Shutting down"))
    await setTimeout(300)
    assert.notStrictEqual(await sendHere(), "ECONNRESET")
    assert.strictEqual(await sendHere(), "ECONNREFUSED")
    assert.strictEqual(await ended, 0)
  })
})

/** Requests of which none may be lost. */
const REQUESTS = 5_000

/** Milliseconds after which nginx tries a replica again: `fail_timeout` of the guide. */
const FAIL_TIMEOUT = 5_000

describe.skipIf(!isAvailable() || !isNginxInstalled)("a rolling restart (needs PostgreSQL, nginx)", () => {
  it("behind the proxy of the guide loses no request", async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    await seedDatabase(server.url)
    await server.query(
      "UPDATE accounts SET wallet = 100000000, creates_per_minute = 1000000, creates_per_hour = 1000000"
    )
    const ports = [await freePort(), await freePort(), await freePort()]
    const start = (port: number): Promise<ServiceProcess> =>
      startReplica(server.url, LAME_DUCK, ["--port", String(port), "--trusted-proxies", "127.0.0.1"])
    const replicas = await Promise.all(ports.map(start))
    const port = await freePort()
    runNginx(guided(ports, port))
    const origin = `http://127.0.0.1:${port}`
    await until(() => send(origin, new Agent(), { method: "GET", path: "/services" }), (answer) => answer === 200)
    const clients = startClients(origin, CLIENTS, 5)
    for (const [index, replica] of replicas.entries()) {
      assert.strictEqual(await replica.end(), 0)
      await start(ports[index]!)
      await setTimeout(FAIL_TIMEOUT)
    }
    await until(() => Promise.resolve(clients.sent()), (sent) => sent > REQUESTS)
    await clients.stop()
    assert.sameMembers([...clients.seen.keys()], [200, 201])
  }, 180_000)
})
