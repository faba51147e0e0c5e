/** Three replicas on one PostgreSQL server; the server is killed, too. */
import * as Effect from "effect/Effect"
import { CommandRejected } from "#service/admin/Input"
import * as Offline from "#service/admin/cli/Offline"
import type { CommandName, InputOf, ResultOf } from "#service/contract/operator/Commands"
import { resolve } from "#service/config/Resolve"
import { freePort } from "../../support/port.ts"
import { startPostgres } from "../../support/postgres.ts"
import { type ServiceProcess, startServiceWith } from "../../support/serviceProcess.ts"
import { type Cluster, untilDone } from "./Cluster.ts"

const REPLICAS = 3

const SECRET = "secret-of-the-bank-test-0123456789abcd"

/** The tasks of a killed replica are taken over when its leases end, here within a minute. */
const LEASE_MILLIS = "5000"

const isReady = async ({ origin }: ServiceProcess): Promise<boolean> => (await fetch(`${origin}/readyz`)).status === 200

export const onPostgres = async (): Promise<Cluster> => {
  const server = await startPostgres({ durable: true })
  const url = await server.database()
  const env = {
    VPS_SERVICE_DATABASE: url,
    VPS_SERVICE_SECRET: SECRET,
    VPS_SERVICE_RATE_LIMITS: "false",
    VPS_SERVICE_LEASE_MILLIS: LEASE_MILLIS
  }
  const settings = resolve([], env)
  const ports = await Promise.all(Array.from({ length: REPLICAS }, freePort))
  const start = (port: number) => startServiceWith({ env }, ["--port", String(port)])
  const replicas = await Promise.all(ports.map(start))

  const once = <Name extends CommandName>(name: Name, input: InputOf<Name>) =>
    Effect.runPromise(Offline.run(settings, name, input)) as Promise<ResultOf<Name>>
  const killServer = async (): Promise<string> => {
    await server.kill()
    await server.start()
    for (const replica of replicas) while (!await isReady(replica)) await new Promise(setImmediate)
    return "PostgreSQL"
  }
  const killReplica = async (number: number): Promise<string> => {
    await replicas[number]!.end("SIGKILL")
    replicas[number] = await start(ports[number]!)
    return "a replica"
  }
  return {
    name: `${REPLICAS} replicas on PostgreSQL`,
    urls: replicas.map((replica) => replica.url),
    command: (name, input) => untilDone(() => once(name, input), (cause) => cause instanceof CommandRejected),
    strike: (turn) => turn % (REPLICAS + 1) === REPLICAS ? killServer() : killReplica(turn % (REPLICAS + 1)),
    apart: (run) => run((sql) => server.query(sql, url)),
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.end("SIGKILL")))
      await server.close()
    }
  }
}
