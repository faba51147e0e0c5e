/**
 * `npm run bench`: our built service and its peers in one interleaved run. See docs/benchmarks.md.
 *
 *   npm run bench -- [--rounds 5] [--seconds 1] [--warm 2] [--works get] [--json FILE] [--beside CHECKOUT]
 *   npm run bench -- --works provider [--rounds 3] [--skip-preview]
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { nothingLost, sameAnswers, sameCreates } from "./check.ts"
import { Process } from "./Process.ts"
import { benchProvider } from "./provider/bench.ts"
import { inTurn, report, type Sample, say, type Start, writeResult } from "./report.ts"
import { INSTANCES, seed } from "./seed.ts"
import { builtIn, type System, SYSTEMS } from "./systems.ts"
import { measureRounds, type Subject, WORKS } from "./works.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    warm: { type: "string", default: "2" },
    works: { type: "string", default: "" },
    json: { type: "string" },
    beside: { type: "string" },
    "skip-preview": { type: "boolean", default: false }
  }
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const other = values.beside === undefined ? undefined : builtIn(values.beside)
const systems: ReadonlyArray<System> = other === undefined ? SYSTEMS : [...SYSTEMS, other.service]
const works = WORKS.filter(({ name }) => name.includes(values.works))

/** Milliseconds that a fresh process rests before its memory is read: start-up garbage is collected by then. */
const IDLE_MILLIS = 700
const rest = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-"))
const seeded = join(folder, "seed.db")

/** A copy of the seeded database, made the system's own. */
const copyFor = (system: System, name: string): string => {
  const database = join(folder, `${name}.db`)
  cpSync(seeded, database)
  system.adopt(database)
  return database
}

const measureStarts = async (): Promise<Array<Start>> => {
  const starts: Array<Start> = []
  const databases = new Map(systems.map((system) => [system.name, copyFor(system, `${system.name}-start`)]))
  for (let round = 0; round < rounds; round++) {
    for (const system of inTurn(systems, round)) {
      const server = await Process.start(system, databases.get(system.name)!, "/instances/1")
      await rest(IDLE_MILLIS)
      starts.push({ system: system.name, round, millis: server.startMillis, rss: server.rss() })
      await server.stop()
    }
  }
  return starts
}

const measureWorks = async (): Promise<ReadonlyArray<Sample>> => {
  const databases = systems.map((system) => copyFor(system, system.name))
  const subjects: Array<Subject> = []
  for (const [index, system] of systems.entries()) {
    const server = await Process.start(system, databases[index]!, "/instances/1")
    subjects.push({ name: system.name, server, ids: INSTANCES })
  }
  const servers = subjects.map(({ server }) => server)
  await sameAnswers(servers)
  await sameCreates(servers)
  const samples = await measureRounds(subjects, works, { rounds, seconds, warm: Number(values.warm) / 2 })
  for (const server of servers) await server.stop()
  const creating = new Set(works.filter(({ job }) => job.method === "POST").map(({ name }) => name))
  systems.forEach(({ name }, index) => {
    const creates = samples.filter(({ system, work }) => system === name && creating.has(work))
    // Those of the seed, of the check, and of all rounds.
    const expected = creates.reduce((sum, { requests }) => sum + requests, INSTANCES + 1)
    nothingLost(name, databases[index]!, expected)
  })
  return samples.filter(({ round }) => round >= 0)
}

const versionOf = (name: string): string => {
  const path = fileURLToPath(new URL(`../../../node_modules/${name}/package.json`, import.meta.url))
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`
}

const write = (result: object): void => writeResult(values.json, "latest.json", { rounds, ...result })

const measureService = async (): Promise<void> => {
  say(`${INSTANCES} instances are being stored, then ${rounds} rounds of ${seconds} s per system and work`)
  for (const system of systems) await system.build?.()
  await seed(seeded, other?.emulator)
  const starts = await measureStarts()
  const samples = await measureWorks()
  process.stdout.write(`\n${report(systems.map(({ name }) => name), starts, samples)}\n\n`)
  process.stdout.write(
    "median [least-most] of the rounds; ratios are paired per round. Every answer was checked, and\n"
  )
  process.stdout.write("afterwards every 201 was found in the database with all its rows, and the books balanced.\n")
  write({ versions: ["effect", "fastify"].map(versionOf), seconds, starts, samples })
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
