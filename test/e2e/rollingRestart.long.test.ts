/**
 * Restarts of replicas behind the proxy of the guide, under load. On a busy computer, a connection that the proxy opens
 * in the moment in which a replica closes its port may be reset: so it runs on a quiet one.
 */
import { readFileSync } from "node:fs"
import { Agent } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { isNginxInstalled, runNginx } from "../support/nginx.ts"
import { freePort } from "../support/port.ts"
import { isAvailable, startPostgres } from "../support/postgres.ts"
import { seedDatabase, startReplica } from "../support/replicas.ts"
import { send, startClients } from "../support/requestLoad.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

/** The settings of the guide for these replicas, with a port of ours. */
const guided = (ports: ReadonlyArray<number>, port: number): string => {
  const [, block = ""] = /```nginx\n(upstream vps \{.*?)```/s.exec(
    readFileSync(join(ROOT, "docs/operating.md"), "utf8")
  )!
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=5s;`)
  const text = block.replace(/( *server 10\..*\n)+/, `${servers.join("\n")}\n`).replace("443 ssl", `127.0.0.1:${port}`)
  return `worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n${text}}\n`
}

const LAME_DUCK = { VPS_SERVICE_LAME_DUCK_MILLIS: "5000" }

const CLIENTS = 16

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
