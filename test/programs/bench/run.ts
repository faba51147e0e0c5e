/**
 * `npm run bench`: our built service, an older build and a peer in one interleaved run. See docs/benchmarks.md.
 *
 *   npm run bench -- service [--rounds 5] [--seconds 1] [--works get] [--json FILE] [--beside CHECKOUT | --alone]
 *   npm run bench -- service --works provider [--rounds 3] [--skip-preview]
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { nothingLost, sameAnswers, sameCreates } from "./check.ts"
import { measure, Process, waitFor } from "./Process.ts"
import { benchProvider } from "./provider/bench.ts"
import { align, inTurn, paired, report, type Sample, say, spread, type Start, writeResult } from "./report.ts"
import { copyIdle, INSTANCES, seed } from "./seed.ts"
import { BESIDE, olderBuild, OURS, peer, type System, ungrouped } from "./systems.ts"
import { measureRounds, type Subject, type Work, WORKS } from "./works.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    works: { type: "string", default: "" },
    json: { type: "string" },
    "skip-preview": { type: "boolean", default: false },
    ...BESIDE
  }
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const works = WORKS.filter(({ name }) => name.includes(values.works))

/** A fresh process rests before its memory is read: start-up garbage is collected by then. */
const START_MILLIS = 700
/** The same after all requests. */
const REST_MILLIS = 5_000

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-"))
const seeded = { idle: join(folder, "idle.db"), active: join(folder, "active.db") }

/** One process of a system, with its own database. */
interface Candidate {
  readonly system: System
  /** Of its worker. Those without one are measured beside both. */
  readonly worker: Work["worker"]
  readonly works: ReadonlyArray<Work>
  readonly database: string
}

/** A copy of a seeded database, made the system's own. */
const candidate = (system: System, worker: Work["worker"], own: ReadonlyArray<Work>, name = ""): Candidate => {
  const database = join(folder, `${system.name}-${worker}${name}.db`)
  cpSync(seeded[worker], database)
  system.adopt(database)
  return { system, worker, works: own, database }
}

const candidates = (services: ReadonlyArray<System>): ReadonlyArray<Candidate> => {
  const [idle, active] = (["idle", "active"] as const).map((name) => works.filter(({ worker }) => worker === name))
  return [
    ...services.map((service) => candidate(service, "idle", idle!)),
    candidate(peer, "idle", works),
    candidate(ungrouped, "idle", idle!.filter(({ job }) => job.method === "POST")),
    ...services.map((service) => candidate(service, "active", active!))
  ].filter((one) => one.works.length > 0)
}

const measureStarts = async (systems: ReadonlyArray<System>, tokens: ReadonlyArray<string>): Promise<Array<Start>> => {
  const starts: Array<Start> = []
  const all = systems.map((system) => candidate(system, "idle", [], "-start"))
  for (let round = 0; round < rounds; round++) {
    for (const { database, system } of inTurn(all, round)) {
      const server = await Process.start(system, database, { tokens })
      await setTimeout(START_MILLIS)
      starts.push({ system: system.name, round, millis: server.startMillis, rss: server.rss() })
      await server.stop()
    }
  }
  return starts
}

const check = ({ database, system, worker }: Candidate, samples: ReadonlyArray<Sample>): void => {
  const creating = new Set(works.filter(({ job }) => job.method === "POST").map(({ name }) => name))
  // Those of the seed, of the check, and of all rounds.
  const creates = samples.filter(({ work }) => creating.has(work))
    .reduce((sum, { requests }) => sum + requests, INSTANCES + 1)
  nothingLost(`${system.name}, ${worker} worker`, database, {
    creates,
    deployed: worker === "active" ? creates : INSTANCES
  })
}

interface Memory {
  readonly name: string
  /** Megabytes: the most after any work, and some seconds after the last one. */
  readonly loaded: number
  readonly rested: number
}

const measureWorks = async (all: ReadonlyArray<Candidate>, tokens: ReadonlyArray<string>) => {
  const subjects: Array<Subject> = []
  for (const { database, system, works: own } of all) {
    const server = await Process.start(system, database, { tokens })
    subjects.push({ name: system.name, server, ids: INSTANCES, works: own, hasWorker: system.hasWorker })
  }
  const servers = subjects.map(({ server }) => server)
  await sameAnswers(servers)
  await sameCreates(servers)
  const samples = await measureRounds(subjects, { rounds, seconds })
  await setTimeout(REST_MILLIS)
  const memory: Array<Memory> = []
  for (const [index, one] of all.entries()) {
    const own = samples.filter(({ system, work }) =>
      system === one.system.name && one.works.some(({ name }) => name === work)
    )
    const loaded = Math.max(...own.map(({ rss }) => rss))
    const name = one.system.hasWorker ? `${one.system.name}, ${one.worker} worker` : one.system.name
    memory.push({ name, loaded, rested: servers[index]!.rss() })
    await servers[index]!.stop()
    check(one, own)
  }
  return { samples: samples.filter(({ round }) => round >= 0), memory }
}

/** Creates whose statements are counted. */
const COUNTED = 400
const COUNTER = new URL("./statements.ts", import.meta.url).href

interface Counts {
  readonly name: string
  readonly statements: number
  readonly commits: number
  readonly byText: Readonly<Record<string, number>>
}

/** The statements of a process since the last call, by text. */
const takeStatements = async (server: Process, path: string): Promise<Record<string, number>> => {
  rmSync(path, { force: true })
  server.signal("SIGUSR2")
  await waitFor(async () => existsSync(path))
  return JSON.parse(readFileSync(path, "utf8"))
}

/** Statements and commits per create, in a process of its own, which counting slows down. */
const countStatements = async (system: System, work: Work, tokens: ReadonlyArray<string>): Promise<Counts> => {
  const { database } = candidate(system, work.worker, [], "-count")
  const path = join(folder, "statements.json")
  const env = { NODE_OPTIONS: `--import=${COUNTER}`, BENCH_STATEMENTS: path }
  const server = await Process.start(system, database, { tokens, env })
  const until = work.worker === "active" ? { until: () => server.hasNoOpenTask() } : {}
  // The first ones fill the queue of an idle worker.
  await measure([server], { ...work.job, ids: 1, requests: COUNTED, ...until })
  await takeStatements(server, path)
  await measure([server], { ...work.job, ids: 1, requests: COUNTED, ...until })
  const counts = Object.entries(await takeStatements(server, path)).map(([text, count]) =>
    [text, count / COUNTED] as const
  )
  await server.stop()
  const sum = (of: typeof counts) => of.reduce((total, [, count]) => total + count, 0)
  return {
    name: `${work.name}: ${system.name}`,
    statements: sum(counts),
    commits: sum(counts.filter(([text]) => text === "COMMIT")),
    byText: Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a))
  }
}

const versionOf = (name: string): string => {
  const path = fileURLToPath(new URL(`../../../node_modules/${name}/package.json`, import.meta.url))
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`
}

const write = (result: object): void => writeResult(values.json, "latest.json", { rounds, ...result })

/** The cost that the worker adds to a create: the same work with an active one over that with an idle one. */
const workerRatios = (systems: ReadonlyArray<string>, samples: ReadonlyArray<Sample>): string =>
  align([
    ["create, active : idle worker", "CPU", "p50"],
    ...works.filter(({ name, worker }) => worker === "active" && works.some((other) => other.name === idle(name)))
      .flatMap(({ name }) =>
        systems.map((system) => {
          const rows = samples.filter((sample) => sample.system === system && [name, idle(name)].includes(sample.work))
            .map((sample) => ({ ...sample, system: sample.work }))
          const ratio = (of: (sample: Sample) => number) => spread(paired(rows, [name, idle(name)], of), 2)
          return [`${name.split(", ")[1]}: ${system}`, ratio(({ cpu }) => cpu), ratio(({ p50 }) => p50)]
        })
      )
  ])
const idle = (name: string): string => name.replace("active", "idle")

const figures = (title: string, names: ReadonlyArray<string>, rows: ReadonlyArray<readonly [string, number, number]>) =>
  align([[title, ...names], ...rows.map(([name, ...values]) => [name, ...values.map((value) => value.toFixed(1))])])

const measureService = async (): Promise<void> => {
  const older = olderBuild(values)
  const services = older === undefined ? [OURS.service] : [OURS.service, older.service]
  const systems = [...services, peer, ungrouped]
  say(`${INSTANCES} instances are being stored, then ${rounds} rounds of ${seconds} s per system and work`)
  for (const system of systems) await system.build?.()
  const { emulator } = older ?? OURS
  const tokens = await seed(seeded.active, emulator, { instances: INSTANCES })
  await copyIdle(seeded.active, seeded.idle, emulator)
  const starts = await measureStarts([...services, peer], tokens)
  const counts: Array<Counts> = []
  for (const work of works.filter(({ job }) => job.method === "POST")) {
    for (const system of services) counts.push(await countStatements(system, work, tokens))
  }
  const { memory, samples } = await measureWorks(candidates(services), tokens)
  const tables = [
    report(systems.map(({ name }) => name), starts, samples),
    workerRatios(services.map(({ name }) => name), samples),
    figures("memory MB", ["under load", "idle"], memory.map(({ loaded, name, rested }) => [name, loaded, rested])),
    figures("per create", ["statements", "commits"], counts.map((one) => [one.name, one.statements, one.commits]))
  ]
  process.stdout.write(`\n${tables.join("\n\n")}\n\n`)
  process.stdout.write(
    "median [least-most] of the rounds; ratios are paired per round. Every answer was checked, and\n"
  )
  process.stdout.write("afterwards every 201 was found in the database with all its rows, and the books balanced.\n")
  write({ versions: ["effect", "fastify"].map(versionOf), seconds, starts, samples, memory, counts })
}

const measureProvider = async (): Promise<void> => {
  say(`${rounds} rounds of pulumi up with new stacks`)
  const measured = await benchProvider({
    rounds,
    flags: values["skip-preview"] ? ["--skip-preview"] : []
  })
  if (measured === undefined) {
    say("skipped: provider (pulumi is not on PATH)")
    return
  }
  process.stdout.write(`\n${measured.text}\n\nmedian [least-most] of the rounds; ratios are paired per round.\n`)
  write({ versions: ["@pulumi/pulumi"].map(versionOf), ups: measured.ups, loads: measured.loads })
}

try {
  if (values.works === "provider") await measureProvider()
  else await measureService()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
