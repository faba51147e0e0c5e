/**
 * The cost of a placement among 1,000 hosts, by `npm run bench -- placement`: CPU of the choice alone, and of all that
 * an order's transaction does for it: reading the hosts, reserving capacity and an address, and here returning both.
 */
import * as Effect from "effect/Effect"
import { strict as assert } from "node:assert"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { addPool } from "#service/admin/commands/Addresses"
import { assertInStock, PlacesMachines, release, reserve } from "#service/catalogue/Capacity"
import { type HostLoad, place } from "#service/domain/Placement"
import { Catalogue } from "#service/persistence/Catalogue"
import { Hosts } from "#service/persistence/Hosts"
import { Transaction } from "#service/persistence/Transaction"
import { align, spread } from "./report.ts"
import { HOST } from "../../persistence/suite/hosts.ts"
import { buy, coreLayer, owner } from "../../support/service.ts"

const { values: flags } = parseArgs({
  options: { hosts: { type: "string", default: "1000" }, rounds: { type: "string", default: "20" } }
})
const [hosts, rounds] = [Number(flags.hosts), Number(flags.rounds)]
const IMAGE = "debian-12"
/** Instances that the customer has already. */
const OWNED = 20
const REPETITIONS = 50
const DAY = 86_400_000
const CAPACITY = { cpus: 256, memoryMib: 524_288, diskGib: 20_000 }

/** Microseconds of CPU of this process for one repetition, in each of some rounds after the first. */
const measure = Effect.fnUntraced(function*<E, R>(work: Effect.Effect<void, E, R>) {
  const micros: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    for (let index = 0; index < REPETITIONS; index++) yield* work
    const { system, user } = process.cpuUsage(before)
    // The first one also compiles the code.
    if (round > 0) micros.push((system + user) / REPETITIONS)
  }
  return micros
})

/** Hosts of different load, each with three images. */
const addHosts = Effect.gen(function*() {
  const { add, setImage } = yield* Hosts
  for (let index = 0; index < hosts; index++) {
    const memoryMib = CAPACITY.memoryMib - index * 7_919 % hosts
    const hostId = yield* add({ ...HOST, name: `host-${index}`, capacity: { ...CAPACITY, memoryMib } })
    for (const slug of [IMAGE, "ubuntu-24.04", "rocky-9"]) {
      yield* setImage({ hostId, slug, kind: "disk", sha256: "0", volume: slug, createdAt: 0 })
    }
  }
})

const program = Effect.gen(function*() {
  const { run } = yield* Transaction
  yield* run(addHosts)
  yield* addPool({ network: "10.0.0.0/20", gateway: "10.0.0.1", data_center: "Frankfurt" })
  const plan = (yield* (yield* Catalogue).plan(1))!
  const owned = yield* Effect.forEach(Array.from({ length: OWNED }), () => buy({ os: IMAGE }))
  const { active, machinesOf } = yield* Hosts
  const own = yield* machinesOf(owner.accountId)
  assert.strictEqual(own.size, Math.min(OWNED, hosts), "instances of a customer are apart")
  const loads: ReadonlyArray<HostLoad> = yield* active(plan.dataCenterId, IMAGE)
  assert.strictEqual(loads.length, hosts)
  const size = { cpus: 2, memoryMib: 4_096, diskGib: 40 }
  const inMemory = yield* measure(Effect.sync(() => assert(place(loads, size, own))))
  const instanceId = owned[0]!.id
  const buyer = { accountId: owner.accountId, image: IMAGE, instanceId }
  yield* run(release(instanceId, 0))
  const queried = yield* measure(assertInStock(plan, IMAGE))
  let at = 0
  const order = yield* measure(
    Effect.suspend(() => {
      // The address has been in quarantine.
      at += DAY
      return run(Effect.andThen(reserve(plan, buyer, at), release(instanceId, at)))
    })
  )
  return { inMemory, queried, order }
})

const folder = mkdtempSync(join(tmpdir(), "vps-bench-placement-"))
try {
  const { inMemory, order, queried } = await Effect.runPromise(
    program.pipe(Effect.provideService(PlacesMachines, true), Effect.provide(coreLayer(join(folder, "vps.db"))))
  )
  const rows = { "choice in memory": inMemory, "choice with its queries": queried, "transaction": order }
  const table = Object.entries(rows).map(([name, micros]) => [name, spread(micros, 0)])
  process.stdout.write(`${align([[`${hosts} hosts`, "CPU us"], ...table])}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
