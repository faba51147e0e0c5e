/**
 * `npm run bench -- scale`: what one process carries, and what 100 replicas cost their database. See docs/scaling.md.
 *
 *   npm run bench -- scale [--parts hosts,instances,replicas,pages] [--small]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Client } from "pg"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DueTimes } from "#service/persistence/DueTimes"
import * as Storage from "#service/persistence/Storage"
import { limitsLayer } from "../../support/limits.ts"
import { type PostgresServer, startPostgres } from "../../support/postgres.ts"
import { family } from "./Process.ts"
import { measureStreams } from "./panelStreams.ts"
import { align } from "./report.ts"

const { values: flags } = parseArgs({
  options: {
    parts: { type: "string", default: "hosts,instances,replicas,pages" },
    /** A few of everything: shows that the program works. */
    small: { type: "boolean", default: false }
  }
})

const { hosts, instances, pages, replicas, roundSeconds } = flags.small
  ? { hosts: [2, 4], instances: { times: 2, rounds: 1 }, pages: [3], replicas: [2], roundSeconds: 1 }
  : {
    hosts: [100, 1_000, 10_000],
    instances: { times: 1_000, rounds: 10 },
    pages: [200, 2_000],
    replicas: [1, 10, 100],
    roundSeconds: 30
  }

const MACHINES_PER_HOST = 10
/** Connections of a replica: its pool, and one that listens. */
const POOL = 10
/** Of a replica without work: the next moments, every 5 s. */
const POLLS_PER_SECOND = 0.2
/** Seconds in which idle replicas poll. */
const IDLE_SECONDS = flags.small ? 1 : 20
const NOTIFICATIONS = flags.small ? 5 : 200

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Runs another benchmark, whose lines are printed. */
const run = async (program: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const node = ["--expose-gc", "--conditions=pulumi-vps-source", "--max-old-space-size=8192"]
  const child = spawn(process.execPath, [...node, path, ...args], { stdio: ["ignore", "inherit", "ignore"] })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: run it alone to see why.`)
}

/** Metrics of the machines of many hosts, and the choice of a host for an order. */
const measureHosts = async (): Promise<void> => {
  for (const count of hosts) {
    const few = ["--rounds", "3"]
    await run("sampling.ts", "--hosts", `${count}`, "--machines", `${count * MACHINES_PER_HOST}`, "--warm", "3", ...few)
    await run("placement.ts", "--hosts", `${count}`, ...few)
  }
}

const measureInstances = () =>
  run(
    "size.ts",
    "--databases",
    "sqlite",
    "--tasks",
    "5",
    "--times",
    `${instances.times}`,
    "--rounds",
    `${instances.rounds}`
  )

/** A file of a process; empty if the process has ended, as some of the server's do by themselves. */
const fileOf = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

/** Megabytes that the server's processes hold, each shared page divided among those that share it. */
const serverMegabytes = (pid: number): number =>
  family(pid).reduce((sum, one) => {
    const [, kilobytes = 0] = /^Pss:\s+(\d+) kB/m.exec(fileOf(one, "smaps_rollup")) ?? []
    return sum + Number(kilobytes) / 1_024
  }, 0)

/** The connections of idle replicas: each listens, and has used all connections of its pool once. */
const connect = async (url: string, count: number): Promise<ReadonlyArray<Client>> => {
  const clients: Array<Client> = []
  for (let index = 0; index < count * (POOL + 1); index++) {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(index % (POOL + 1) === 0 ? "LISTEN vps_tasks" : "SELECT count(*) FROM tasks")
    clients.push(client)
  }
  return clients
}

/** The server's CPU for some work, in milliseconds; its processes live longer. */
const serverCpu = async (server: PostgresServer, work: () => Promise<void>): Promise<number> => {
  const used = () =>
    family(server.pid()).reduce(
      (sum, pid) => sum + Number(fileOf(pid, "schedstat").split(" ")[0]) / 1e6,
      0
    )
  const before = used()
  await work()
  return used() - before
}

const measureReplicas = async (): Promise<void> => {
  const server = await startPostgres({ connections: Math.max(...replicas) * (POOL + 1) + 50 })
  try {
    const url = await server.database()
    const storage = Layer.provide(Storage.layer(url), limitsLayer())
    const rows: Array<ReadonlyArray<string>> = []
    await Effect.runPromise(
      Effect.scoped(Effect.gen(function*() {
        const services = yield* Layer.build(storage)
        const poll = Effect.provideContext(Effect.flatMap(DueTimes, ({ next }) => next), services)
        for (const count of replicas) {
          rows.push(
            yield* Effect.promise(async () => {
              const before = serverMegabytes(server.pid())
              const clients = await connect(url, count)
              const megabytes = serverMegabytes(server.pid()) - before
              const polls = Math.ceil(count * POLLS_PER_SECOND * IDLE_SECONDS)
              const idle = await serverCpu(server, async () => {
                for (let index = 0; index < polls; index++) await Effect.runPromise(poll)
              })
              const notifying = await serverCpu(server, async () => {
                for (let index = 0; index < NOTIFICATIONS; index++) await clients[1]!.query("NOTIFY vps_tasks")
                await setTimeout(500)
              })
              for (const client of clients) await client.end()
              return [
                String(count),
                String(clients.length),
                megabytes.toFixed(0),
                `${(idle / polls * count * POLLS_PER_SECOND / 10).toFixed(2)} %`,
                (notifying / NOTIFICATIONS).toFixed(2)
              ]
            })
          )
        }
      }))
    )
    say(align([["replicas", "connections", "server MB", "idle polls, of a core", "NOTIFY, ms of CPU"], ...rows]))
  } finally {
    await server.close()
  }
}

const measurePages = async (): Promise<void> => {
  for (const count of pages) await measureStreams({ pages: count, rounds: 2, roundSeconds })
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  hosts: measureHosts,
  instances: measureInstances,
  replicas: measureReplicas,
  pages: measurePages
}

for (const name of flags.parts.split(",")) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`--parts ${name} is unknown: give ${Object.keys(PARTS).join(", ")}.`)
  say(`\n${name}`)
  await part()
}
