/**
 * `npm run bench:size`: what the size of the database costs. The same GET on a database with one instance and on one
 * with 100,000 instances and 1,000,000 ledger entries, and the list of 1,000 beside the peer. See README.md.
 *
 *   npm run bench:size -- [--rounds 5] [--seconds 1]
 */
import { deepStrictEqual } from "node:assert/strict"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Process } from "./Process.ts"
import { report, type Sample } from "./report.ts"
import { LISTED, READABLE, seedLarge } from "./seedLarge.ts"
import { type System, SYSTEMS } from "./systems.ts"
import { LIST, SIZE_WORKS, type Work } from "./works.ts"

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "1" } }
})

/** A system over one database, called with random ids up to `ids`. */
interface Subject {
  readonly system: System
  readonly database: string
  readonly ids: number
}

const say = (text: string) => process.stderr.write(`${text}\n`)

/** All works on all subjects, interleaved; round -1 warms up. */
const measure = async (subjects: ReadonlyArray<Subject>, works: ReadonlyArray<Work>): Promise<Array<Sample>> => {
  const servers: Array<Process> = []
  for (const { database, system } of subjects) {
    servers.push(await Process.start(system, database, works[0]!.job.path.replace("{id}", "1")))
  }
  const samples: Array<Sample> = []
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const { job, name } of works) {
      const order = round % 2 === 0 ? [...subjects.keys()] : [...subjects.keys()].toReversed()
      for (const index of order) {
        const { ids, system } = subjects[index]!
        const measured = await servers[index]!.measure({ ...job, ids, seconds: Number(values.seconds) })
        if (round >= 0) samples.push({ ...measured, system: system.name, work: name, round })
      }
    }
    if (round >= 0) say(`round ${round + 1} of ${values.rounds}`)
  }
  for (const server of servers) await server.stop()
  return samples
}

/** Both list the same thousand, to the last field. */
const sameLists = async (subjects: ReadonlyArray<Subject>): Promise<void> => {
  const lists = []
  for (const { database, system } of subjects) {
    const server = await Process.start(system, database, "/instances")
    lists.push((await server.ask("GET", "/instances")).body as ReadonlyArray<unknown>)
    await server.stop()
  }
  deepStrictEqual(lists.map((list) => list.length), lists.map(() => LISTED))
  for (const list of lists) deepStrictEqual(list, lists[0])
}

const [service, peer] = SYSTEMS
const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-bench-"))
try {
  say("a database with 100,000 instances and 1,000,000 ledger entries is being made")
  const { large, reader, small } = await seedLarge(folder)
  const reading = (name: string, database: string, ids: number): Subject => {
    const own = join(folder, `size ${name}.db`)
    cpSync(database, own)
    service.adopt(own)
    return { system: { ...service, name, token: () => reader }, database: own, ids }
  }
  // The first system of a report, relative to each of the others.
  const sizes = [reading("large", large, 1), reading("small", small, 1), reading("large, any id", large, READABLE)]
  const lists = [service, peer].map((system): Subject => {
    const database = join(folder, `${system.name}.db`)
    cpSync(large, database)
    system.adopt(database)
    return { system, database, ids: 1 }
  })
  await peer.build?.()
  await sameLists(lists)
  const tables = [[sizes, SIZE_WORKS], [lists, [LIST]]] as const
  for (const [subjects, works] of tables) {
    const samples = await measure(subjects, works)
    process.stdout.write(`\n${report(subjects.map(({ system }) => system.name), [], samples)}\n`)
  }
  process.stdout.write("\nmedian [least-most] of the rounds; ratios are paired per round. Every answer was checked.\n")
} finally {
  rmSync(folder, { recursive: true, force: true })
}
