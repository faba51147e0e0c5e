/**
 * `npm run bench -- postgres`: a create on PostgreSQL, of this build beside an older one. See docs/benchmarks.md.
 *
 *   npm run bench -- postgres [--rounds 3] [--seconds 2] [--warm 500] [--beside CHECKOUT | --alone] [--json FILE]
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Client } from "pg"
import { type PostgresServer, startPostgres } from "../../support/postgres.ts"
import { cpuSeconds, measure, Process, waitFor } from "./Process.ts"
import { type Exchange, type Proxy, startProxy } from "./proxy.ts"
import { align, inTurn, paired, say, sayRound, spread, table, writeResult } from "./report.ts"
import { copyToPostgres, seed } from "./seed.ts"
import { BESIDE, type Build, olderBuild, OURS } from "./systems.ts"
import { CREATE, ORDER } from "./works.ts"

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    warm: { type: "string", default: "500" },
    json: { type: "string" },
    ...BESIDE
  }
})
const [rounds, seconds, warm] = [Number(flags.rounds), Number(flags.seconds), Number(flags.warm)]

/** Milliseconds each way between the service and the database. */
const DELAYS = [0, 0.5, 1, 2]
/** One at a time, for each round and delay. */
const SINGLE_CREATES = 20
/** One at a time until deployed, whose statements and round trips are counted at the longest delay. */
const COUNTED = 10
const IDLE_SECONDS = 10
const REST_MILLIS = 2_000
/** At once, whose transactions conflict. */
const CONFLICTING = { connections: 50, requests: 150, delay: 1 }
const CONNECTIONS = 32
const ACCOUNTS = [1, 50]
const REPLICAS = [1, 3]
const named = (replicas: number, accounts: number) => `replicas: ${replicas}, accounts: ${accounts}`

/** Replicas of a build on a database of their own. */
interface Setup {
  readonly system: string
  readonly replicas: ReadonlyArray<Process>
  readonly proxy: Proxy
  /** Not by way of the replicas, whose statements are counted. */
  readonly isDeployed: () => Promise<boolean>
  readonly close: () => Promise<void>
}

interface Row {
  readonly system: string
  readonly round: number
}
interface Latency extends Row {
  readonly delay: number
  readonly p50: number
}
interface Loaded extends Row {
  readonly work: string
  readonly cpu: number
  readonly databaseCpu: number
  readonly perSecond: number
  readonly p50: number
}

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-postgres-"))
const postgres: PostgresServer = await startPostgres({ durable: true })
const opened: Array<Setup> = []

const OPEN = "SELECT 1 FROM tasks WHERE status IN ('queued', 'running') LIMIT 1"

/** Starts replicas on a copy of a seeded database, through a proxy or directly, and warms each up. */
const open = async (
  { service }: Build,
  seeded: { readonly url: string; readonly tokens: ReadonlyArray<string> },
  count: number,
  through: "proxy" | "directly"
): Promise<Setup> => {
  const database = await postgres.database(seeded.url)
  const proxy = await startProxy(database)
  const url = through === "proxy" ? proxy.url : database
  const replicas: Array<Process> = []
  for (let index = 0; index < count; index++) {
    replicas.push(await Process.start(service, url, { tokens: seeded.tokens }))
  }
  const client = new Client({ connectionString: database })
  await client.connect()
  const setup: Setup = {
    system: service.name,
    replicas,
    proxy,
    isDeployed: async () => (await client.query(OPEN)).rowCount === 0,
    close: async () => {
      await Promise.all([...replicas.map((one) => one.stop()), client.end()])
      proxy.close()
    }
  }
  opened.push(setup)
  await measure(replicas, { ...CREATE, ids: 1, connections: CONNECTIONS, requests: warm, until: setup.isDeployed })
  return setup
}

const close = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((setup) => setup.close()))
}

const sum = (exchanges: ReadonlyArray<Exchange>, of: (exchange: Exchange) => number): number =>
  exchanges.reduce((total, exchange) => total + of(exchange), 0)
const isOrder = ({ texts }: Exchange): boolean => texts.some((text) => text.includes("INTO orders"))
/** Also those of an order that fails before it is written. */
const isAttempt = ({ texts }: Exchange): boolean => texts.some((text) => /INTO orders|FROM plans/.test(text))

/** Statements and round trips of single creates, each deployed before the next, and those of an idle replica. */
const count = async ({ isDeployed, proxy, replicas: [server], system }: Setup) => {
  proxy.delay = Math.max(...DELAYS)
  proxy.take()
  for (let index = 0; index < COUNTED; index++) {
    const { status } = await server!.ask("POST", "/instances", ORDER, { "idempotency-key": `count-${index}` })
    if (status !== 201) throw new Error(`${system}: a create answered ${status}`)
    await waitFor(isDeployed)
  }
  const all = proxy.take()
  proxy.delay = 0
  await setTimeout(REST_MILLIS)
  proxy.take()
  await setTimeout(IDLE_SECONDS * 1_000)
  const idle = sum(proxy.take(), ({ statements }) => statements) / IDLE_SECONDS * 5
  const orders = all.filter(isOrder)
  const counts = (of: (exchange: Exchange) => number) => [sum(orders, of) / COUNTED, sum(all, of) / COUNTED]
  return { system, statements: counts((one) => one.statements), trips: counts((one) => one.trips), idle }
}

const measureLatency = async (setups: ReadonlyArray<Setup>): Promise<ReadonlyArray<Latency>> => {
  const rows: Array<Latency> = []
  for (let round = 0; round < rounds; round++) {
    for (const delay of DELAYS) {
      for (const { isDeployed, proxy, replicas, system } of inTurn(setups, round)) {
        proxy.delay = delay
        const work = { ...CREATE, ids: 1, connections: 1, requests: SINGLE_CREATES, until: isDeployed }
        const { p50 } = await measure(replicas, work)
        proxy.delay = 0
        rows.push({ system, round, delay, p50: p50 / 1_000 })
      }
    }
    sayRound(round, rounds)
  }
  return rows
}

/** Many creates at once: the transactions that failed, and why. */
const measureConflicts = async ({ isDeployed, proxy, replicas, system }: Setup, accounts: number) => {
  const tokens = replicas[0]!.tokens.slice(0, accounts)
  proxy.take()
  proxy.delay = CONFLICTING.delay
  const work = { ...CREATE, ...CONFLICTING, ids: 1, mayRefuse: true, until: isDeployed }
  const { p50, perSecond, refused, requests } = await measure(replicas, work, tokens)
  proxy.delay = 0
  const failed = proxy.take().filter(({ error }) => error !== undefined)
  const orders = failed.filter(isAttempt).length
  const reasons = Object.entries(Object.groupBy(failed, ({ error }) => error!.replaceAll(/\s+/g, " ").slice(0, 90)))
    .map(([reason, of]) => ({ reason, count: of!.length })).toSorted((a, b) => b.count - a.count)
  return {
    work: named(replicas.length, accounts),
    system,
    attempts: 1 + orders / requests,
    others: (failed.length - orders) / requests,
    perSecond,
    p50: p50 / 1_000,
    refused,
    reasons
  }
}

const measureLoad = async (
  setups: ReadonlyArray<Setup>,
  sqlite: Process
): Promise<ReadonlyArray<Loaded>> => {
  const rows: Array<Loaded> = []
  const one = async (
    name: Row & { readonly work: string },
    replicas: ReadonlyArray<Process>,
    accounts: number,
    until: () => Promise<boolean>
  ): Promise<void> => {
    const before = cpuSeconds(postgres.pid())
    const job = { ...CREATE, ids: 1, connections: CONNECTIONS, seconds, mayRefuse: true, until }
    const { cpu, p50, perSecond, requests } = await measure(replicas, job, replicas[0]!.tokens.slice(0, accounts))
    const databaseCpu = (cpuSeconds(postgres.pid()) - before) / requests * 1e6
    rows.push({ ...name, cpu, databaseCpu, perSecond, p50: p50 / 1_000 })
  }
  for (let round = 0; round < rounds; round++) {
    for (const accounts of ACCOUNTS) {
      for (const { isDeployed, replicas, system } of inTurn(setups, round)) {
        const work = named(replicas.length, accounts)
        await one({ system, round, work }, replicas, accounts, isDeployed)
      }
      const work = `SQLite, accounts: ${accounts}`
      await one({ system: OURS.service.name, round, work }, [sqlite], accounts, () => sqlite.hasNoOpenTask())
    }
    sayRound(round, rounds)
  }
  return rows
}

const counted = (rows: ReadonlyArray<Awaited<ReturnType<typeof count>>>): string =>
  align([
    ["one create", "statements", "round trips", "statements until deployed", "round trips until deployed", "idle, 5 s"],
    ...rows.map(({ idle, statements, system, trips }) => [
      system,
      ...[statements[0]!, trips[0]!, statements[1]!, trips[1]!, idle].map((value) => value.toFixed(1))
    ])
  ])

const delays = (systems: ReadonlyArray<string>, rows: ReadonlyArray<Latency>): string => {
  const at = (delay: number) => rows.filter((row) => row.delay === delay)
  const of = (system: string) => DELAYS.map((delay) => at(delay).filter((row) => row.system === system))
  const [ours, ...others] = systems
  return align([
    ["p50 ms of one create, ms each way", ...DELAYS.map(String)],
    ...systems.map((system) => [system, ...of(system).map((own) => spread(own.map(({ p50 }) => p50), 1))]),
    ...others.map((other) => [
      `${ours} : ${other}`,
      ...DELAYS.map((delay) => spread(paired(at(delay), [ours!, other], ({ p50 }) => p50), 2))
    ])
  ])
}

const conflicts = (rows: ReadonlyArray<Awaited<ReturnType<typeof measureConflicts>>>): string =>
  align([
    [
      `${CONFLICTING.connections} creates at once, ${CONFLICTING.delay} ms each way`,
      "attempts per create",
      "other failures per create",
      "deployed/s",
      "p50 ms",
      "503"
    ],
    ...rows.map(({ attempts, others, p50, perSecond, refused, system, work }) => [
      `${work}: ${system}`,
      attempts.toFixed(2),
      others.toFixed(2),
      perSecond.toFixed(0),
      p50.toFixed(0),
      String(refused)
    ])
  ])

const loads = (systems: ReadonlyArray<string>, rows: ReadonlyArray<Loaded>): string =>
  [...new Set(rows.map(({ work }) => work))].map((work) => {
    const own = rows.filter((row) => row.work === work)
    return table(work, systems, own, [
      ["service's CPU us/create", ({ cpu }) => cpu, 0],
      ["database's CPU", ({ databaseCpu }) => databaseCpu, 0],
      ["deployed/s", ({ perSecond }) => perSecond, 0],
      ["p50 ms", ({ p50 }) => p50, 0]
    ])
  }).join("\n\n")

const run = async (): Promise<void> => {
  const older = olderBuild(flags)
  const builds = older === undefined ? [OURS] : [OURS, older]
  const systems = builds.map(({ service }) => service.name)
  const seeded: Array<{ build: Build; url: string; tokens: ReadonlyArray<string>; file: string }> = []
  for (const [index, build] of builds.entries()) {
    const file = join(folder, `${index}.db`)
    const tokens = await seed(file, build.emulator, { accounts: Math.max(...ACCOUNTS), instances: 10 })
    const url = await postgres.database()
    await copyToPostgres(file, build, url)
    seeded.push({ build, url, tokens, file })
  }
  const { file, tokens } = seeded[0]!
  const setups = async (through: "proxy" | "directly") => {
    const all = []
    for (const replicas of REPLICAS) {
      for (const { build, ...from } of seeded) all.push(await open(build, from, replicas, through))
    }
    return all
  }
  say("through the proxy: counts, latency, conflicts")
  const proxied = await setups("proxy")
  const single = proxied.filter(({ replicas }) => replicas.length === 1)
  say("counts")
  const counts = []
  for (const setup of single) counts.push(await count(setup))
  say("latency")
  const latency = await measureLatency(single)
  say("conflicts")
  const conflicting = []
  for (const accounts of ACCOUNTS) {
    for (const setup of proxied) conflicting.push(await measureConflicts(setup, accounts))
  }
  await close()
  say(`directly: ${CONNECTIONS} connections`)
  const direct = await setups("directly")
  cpSync(file, join(folder, "sqlite.db"))
  OURS.service.adopt(join(folder, "sqlite.db"))
  const sqlite = await Process.start(OURS.service, join(folder, "sqlite.db"), { tokens })
  await measure([sqlite], { ...CREATE, ids: 1, connections: CONNECTIONS, requests: warm })
  const loaded = await measureLoad(direct, sqlite)
  await sqlite.stop()
  await close()
  const tables = [counted(counts), delays(systems, latency), conflicts(conflicting), loads(systems, loaded)]
  process.stdout.write(`\n${tables.join("\n\n")}\n\n`)
  process.stdout.write("median [least-most] of the rounds; ratios are paired per round.\n")
  writeResult(flags.json, "postgres.json", { rounds, seconds, warm, counts, latency, conflicting, loaded })
}

try {
  await run()
} finally {
  await close()
  await postgres.close()
  rmSync(folder, { recursive: true, force: true })
}
