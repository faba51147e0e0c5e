/** A rolling restart behind the proxy of the guide, under load. */
import { Agent } from "node:http"
import { setTimeout } from "node:timers/promises"
import { assert } from "vitest"
import { FAIL_TIMEOUT, guided, runNginx } from "./nginx.ts"
import { freePort } from "./port.ts"
import { startReplica } from "./replicas.ts"
import { send, startClients } from "./requestLoad.ts"
import type { ServiceProcess } from "./serviceProcess.ts"
import { until } from "./until.ts"

const LAME_DUCK = { VPS_SERVICE_LAME_DUCK_MILLIS: "5000" }

const CLIENTS = 16

/** Of so many requests, one is a purchase. */
const PURCHASE_EVERY = 5

/** Requests of which none may be lost. */
const REQUESTS = 5_000

/** Restarts each of the replicas on a seeded database, one after the other; returns the load, which is over. */
export const restartUnderLoad = async (
  database: string,
  replicas: number
): Promise<ReturnType<typeof startClients>> => {
  const ports = await Promise.all(Array.from({ length: replicas }, freePort))
  const start = (port: number): Promise<ServiceProcess> =>
    startReplica(database, LAME_DUCK, ["--port", String(port), "--trusted-proxies", "127.0.0.1"])
  const running = await Promise.all(ports.map(start))
  const port = await freePort()
  runNginx(guided(ports, port))
  const origin = `http://127.0.0.1:${port}`
  await until(() => send(origin, new Agent(), { method: "GET", path: "/services" }), (answer) => answer === 200)
  const clients = startClients(origin, CLIENTS, PURCHASE_EVERY)
  for (const [index, replica] of running.entries()) {
    assert.strictEqual(await replica.end(), 0)
    await start(ports[index]!)
    await setTimeout(FAIL_TIMEOUT)
  }
  await until(() => Promise.resolve(clients.sent()), (sent) => sent > REQUESTS)
  await clients.stop()
  return clients
}
