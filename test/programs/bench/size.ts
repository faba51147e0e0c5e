/**
 * `npm run bench:size`: what the size of the database costs. The same GET on a database with one instance and on one
 * with 100,000 instances and 1,000,000 ledger entries, and the list of 1,000 beside the peer. See docs/benchmarks.md.
 *
 *   npm run bench:size -- [--rounds 5] [--seconds 1]
 */
import { deepStrictEqual } from "node:assert/strict"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Process } from "./Process.ts"
import { report, type Sample, say } from "./report.ts"
import { LISTED, READABLE, seedLarge } from "./seedLarge.ts"
import { OURS, peer, type System } from "./systems.ts"
import { GETS, LIST, measureRounds, type Subject, type Work } from "./works.ts"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "1" } }
})

/** A system over one database, called with random ids up to `ids`. */
interface Candidate {
  readonly system: System
  readonly database: string
  readonly ids: number
}

const measure = async (candidates: ReadonlyArray<Candidate>, works: ReadonlyArray<Work>): Promise<Array<Sample>> => {
  const subjects: Array<Subject> = []
  for (const { database, ids, system } of candidates) {
    const server = await Process.start(system, database, { path: works[0]!.job.path.replace("{id}", "1") })
    subjects.push({ name: system.name, server, ids, works, hasWorker: system.hasWorker })
  }
  const seconds = Number(values.seconds)
  const samples = await measureRounds(subjects, { rounds: Number(values.rounds), seconds })
  for (const { server } of subjects) await server.stop()
  return samples.filter(({ round }) => round >= 0)
}

/** Both list the same thousand, to the last field. */
const sameLists = async (candidates: ReadonlyArray<Candidate>): Promise<void> => {
  const lists = []
  for (const { database, system } of candidates) {
    const server = await Process.start(system, database, { path: "/instances" })
    lists.push((await server.ask("GET", "/instances")).body as ReadonlyArray<unknown>)
    await server.stop()
  }
  deepStrictEqual(lists.map((list) => list.length), lists.map(() => LISTED))
  for (const list of lists) deepStrictEqual(list, lists[0])
}

const { service } = OURS
const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-"))
try {
  say("a database with 100,000 instances and 1,000,000 ledger entries is being made")
  const { large, owner, reader, small } = await seedLarge(folder)
  const reading = (name: string, database: string, ids: number): Candidate => {
    const own = join(folder, `size ${name}.db`)
    cpSync(database, own)
    service.adopt(own)
    return { system: { ...service, name, tokens: [reader] }, database: own, ids }
  }
  // The first system of a report, relative to each of the others.
  const sizes = [reading("large", large, 1), reading("small", small, 1), reading("large, any id", large, READABLE)]
  const lists = [service, peer].map((system): Candidate => {
    const database = join(folder, `${system.name}.db`)
    cpSync(large, database)
    system.adopt(database)
    return { system: { tokens: [owner], ...system }, database, ids: 1 }
  })
  await peer.build?.()
  await sameLists(lists)
  const tables = [[sizes, GETS], [lists, [LIST]]] as const
  for (const [candidates, works] of tables) {
    const samples = await measure(candidates, works)
    process.stdout.write(`\n${report(candidates.map(({ system }) => system.name), [], samples)}\n`)
  }
  process.stdout.write("\nmedian [least-most] of the rounds; ratios are paired per round. Every answer was checked.\n")
} finally {
  rmSync(folder, { recursive: true, force: true })
}
