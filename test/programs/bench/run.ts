/**
 * `npm run bench`: our built service and its peers in one interleaved run. See README.md.
 *
 *   npm run bench -- [--rounds 5] [--seconds 1] [--warm 2] [--works get] [--json FILE] [--beside CHECKOUT]
 *   npm run bench -- --works provider [--rounds 3] [--skip-preview]
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { nothingLost, sameAnswers, sameCreates } from "./check.ts"
import { Process } from "./Process.ts"
import { benchProvider } from "./provider/bench.ts"
import { report, type Sample, type Start } from "./report.ts"
import { INSTANCES, seed } from "./seed.ts"
import { builtIn, type System, SYSTEMS } from "./systems.ts"
import { WORKS } from "./works.ts"

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
const say = (text: string): void => void process.stderr.write(`${text}\n`)

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-"))
const seeded = join(folder, "seed.db")

/** A copy of the seeded database, made the system's own. */
const copyFor = (system: System, name: string): string => {
  const database = join(folder, `${name}.db`)
  cpSync(seeded, database)
  system.adopt(database)
  return database
}

/** Every other round runs backwards, so that no system always runs first. */
const order = <A>(all: ReadonlyArray<A>, round: number): ReadonlyArray<A> => round % 2 === 0 ? all : all.toReversed()

const measureStarts = async (): Promise<Array<Start>> => {
  const starts: Array<Start> = []
  const databases = new Map(systems.map((system) => [system.name, copyFor(system, `${system.name}-start`)]))
  for (let round = 0; round < rounds; round++) {
    for (const system of order(systems, round)) {
      const server = await Process.start(system, databases.get(system.name)!, "/instances/1")
      await rest(IDLE_MILLIS)
      starts.push({ system: system.name, round, millis: server.startMillis, rss: server.rss() })
      await server.stop()
    }
  }
  return starts
}

const measureWorks = async (): Promise<Array<Sample>> => {
  const databases = systems.map((system) => copyFor(system, system.name))
  const servers: Array<Process> = []
  for (const [index, system] of systems.entries()) {
    servers.push(await Process.start(system, databases[index]!, "/instances/1"))
  }
  await sameAnswers(servers)
  await sameCreates(servers)
  const creates = systems.map(() => INSTANCES + 1)
  const samples: Array<Sample> = []
  for (let round = -1; round < rounds; round++) {
    for (const { job, name } of works) {
      for (const index of order([...systems.keys()], round)) {
        // Round -1 warms up; its creates count when the books are checked.
        const duration = round === -1 ? Number(values.warm) / 2 : seconds
        const measured = await servers[index]!.measure({ ...job, ids: INSTANCES, seconds: duration })
        if (job.method === "POST") creates[index]! += measured.requests
        if (round >= 0) samples.push({ ...measured, system: systems[index]!.name, work: name, round })
      }
    }
    if (round >= 0) say(`round ${round + 1} of ${rounds}, load average ${loadavg()[0]!.toFixed(1)}`)
  }
  for (const server of servers) await server.stop()
  systems.forEach((system, index) => nothingLost(system.name, databases[index]!, creates[index]!))
  return samples
}

const versionOf = (name: string): string => {
  const path = fileURLToPath(new URL(`../../../node_modules/${name}/package.json`, import.meta.url))
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`
}

const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, platform: process.platform }

const write = (result: object): void => {
  const json = values.json ?? fileURLToPath(new URL("../../../.bench/latest.json", import.meta.url))
  mkdirSync(dirname(json), { recursive: true })
  writeFileSync(json, `${JSON.stringify({ machine, rounds, ...result }, undefined, 2)}\n`)
  say(`written to ${json}`)
}

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
    flags: values["skip-preview"] ? ["--skip-preview"] : [],
    say: (text) => say(`${text}, load average ${loadavg()[0]!.toFixed(1)}`)
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
