/**
 * The driver's time for a provision, a start and a snapshot beside the bare calls to libvirt that do the same on the
 * same host, by `npm run bench -- libvirt`: interleaved, and as ratios within each round.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { dirname } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Limits } from "#service/config/Limits"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { type Operation, perform } from "#service/provisioning/Driver"
import { backupXml, diskXml, domainXml, rawXml, seedDrive } from "#service/provisioning/drivers/libvirt/DomainXml"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import { newRecord, uuidOf } from "#service/provisioning/drivers/libvirt/MachineRecord"
import { type Procedure, PROCEDURES as CALLS } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { screenXml } from "#service/provisioning/drivers/libvirt/Screen"
import { seedDisc } from "#service/provisioning/drivers/libvirt/Seed"
import { connectTo } from "#service/provisioning/drivers/libvirt/HostConnection"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { noHosts, startHost } from "../../libvirt/Host.ts"
import { assignmentOf, placesOn, prepareHost, SIZE } from "../../libvirt/OneHost.ts"
import { DEFAULT_LIMITS } from "../../support/limits.ts"
import { align, paired, spread } from "./report.ts"

if (noHosts !== undefined) throw new Error(`npm run bench -- libvirt ${noHosts}`)
const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "7" } } })
const rounds = Number(flags.rounds)
/** The data of a customer that a snapshot copies. */
const DATA_MIB = 512
/** The wait of the bare program for the guest and for a copy. */
const POLL_MILLIS = 20
const LIVE_BY_FORCE = 1 + 4
const COMPLETED = 1

const host = startHost("bench")
process.once("exit", () => host.stop())
const row = await prepareHost(host)
const session = connectTo(row.uri, null, DEFAULT_LIMITS)
const call = <A, R>(procedure: Procedure<A, R>, values: A): Promise<R> =>
  Effect.runPromise(session.slow(procedure, values))
const domainOf = (tag: string) => call(CALLS.lookup, [uuidOf(tag)])

const services = Libvirt.layer({ nameservers: [] }).pipe(
  Layer.provide(HostConnections.layer),
  Layer.provide(
    Layer.mergeAll(placesOn(() => row), MetricsFiles.layer(undefined), Layer.succeed(Limits, DEFAULT_LIMITS))
  )
)
const runtime = ManagedRuntime.make(services)
let keys = 0
const drive = (tag: string, operation: Operation) =>
  runtime.runPromise(perform({ key: `key-${++keys}`, tag, providerId: null, operation }))

const pool = await call(CALLS.poolLookup, [row.pool])
const images = await call(CALLS.volumeLookup, [pool, "image-debian-12.qcow2"])
const folder = dirname(images.key)

/** Waits until the guest's agent replies. */
const booted = async (tag: string): Promise<void> => {
  const domain = await domainOf(tag)
  const ping = () => call(CALLS.agent, [domain, `{"execute":"guest-ping"}`, 2, 0]).then(() => true, () => false)
  while (!(await ping())) await setTimeout(POLL_MILLIS)
}

const NEW = {
  type: "provision",
  plan: "p1",
  specs: null,
  dataCenter: "Helsinki",
  os: "debian-12",
  hostname: "one",
  sshPublicKey: null,
  rootPassword: null
} as const

/** The driver's calls for a new machine, without its records, checks and repetitions. */
const provision = async (tag: string): Promise<void> => {
  const [disk, seed] = [`${tag}.qcow2`, `${tag}.seed.iso`]
  const assignment = assignmentOf(tag)
  const disc = seedDisc({ ...NEW, id: tag, assignment, nameservers: [] })
  await call(CALLS.volumeCreate, [pool, diskXml(disk, SIZE.diskGib, images.key), 0])
  const volume = await call(CALLS.volumeCreate, [pool, rawXml(seed, disc.length, true), 0])
  await Effect.runPromise(session.upload(CALLS.volumeUpload, [volume, 0, disc.length, 0], [disc]))
  const record = newRecord(tag, { assignment, size: SIZE }, NEW, disk)
  const domain = await call(CALLS.define, [domainXml(record, row, screenXml(null), null), 0])
  await call(CALLS.create, [domain, 0])
  await call(CALLS.setAutostart, [domain, 1])
  await booted(tag)
  await call(CALLS.updateDevice, [domain, seedDrive(row, null), LIVE_BY_FORCE])
  await call(CALLS.volumeDelete, [volume, 0])
}

const snapshot = async (tag: string, name: string): Promise<void> => {
  const domain = await domainOf(tag)
  await call(CALLS.backupBegin, [domain, backupXml(`${folder}/${name}`), null, 0])
  while ((await call(CALLS.jobStats, [domain, 0]))[0] !== 0) await setTimeout(POLL_MILLIS)
  await call(CALLS.jobStats, [domain, COMPLETED])
  await call(CALLS.poolRefresh, [pool, 0])
  await call(CALLS.volumeInfo, [await call(CALLS.volumeLookup, [pool, name])])
}

const off = async (tag: string): Promise<void> => call(CALLS.destroy, [await domainOf(tag), 0])
const OURS = "instance-1"
const BARE = "instance-2"

interface Subject {
  readonly name: string
  readonly driver: (round: number) => Promise<unknown>
  readonly bare: (round: number) => Promise<unknown>
  /** Before the next one. */
  readonly clean: (system: "driver" | "bare", round: number) => Promise<unknown>
}

const provisions: Subject = {
  name: "provision",
  driver: () => drive(OURS, NEW),
  bare: () => provision(BARE),
  clean: (system) => drive(system === "driver" ? OURS : BARE, { type: "terminate" })
}

const starts: Subject = {
  name: "start",
  driver: () => drive(OURS, { type: "start", bootMode: "disk" }),
  bare: async () => {
    const domain = await domainOf(OURS)
    await call(CALLS.create, [domain, 0])
    await call(CALLS.setAutostart, [domain, 1])
  },
  clean: () => off(OURS)
}

const snapshots: Subject = {
  name: "snapshot",
  driver: (round) => drive(OURS, { type: "snapshot_create", image: `s-${round}` }),
  bare: (round) => snapshot(OURS, `bare-${round}.qcow2`),
  clean: async (system, round) => {
    if (system === "driver") return drive(OURS, { type: "snapshot_delete", image: `s-${round}` })
    return call(CALLS.volumeDelete, [await call(CALLS.volumeLookup, [pool, `bare-${round}.qcow2`]), 0])
  }
}

/** Milliseconds of each system in each round; the first one also warms up. */
const measure = async ({ bare, clean, driver, name }: Subject): Promise<ReadonlyArray<string>> => {
  const rows: Array<{ readonly system: string; readonly round: number; readonly millis: number }> = []
  const systems = [["driver", driver], ["bare", bare]] as const
  for (let round = 0; round <= rounds; round++) {
    for (const [system, run] of round % 2 === 0 ? systems : systems.toReversed()) {
      const began = performance.now()
      await run(round)
      const millis = performance.now() - began
      if (round > 0) rows.push({ system, round, millis })
      await clean(system, round)
    }
  }
  const of = (system: string) => rows.filter((each) => each.system === system).map(({ millis }) => millis)
  const ratios = paired(rows, ["driver", "bare"], ({ millis }) => millis)
  return [name, spread(of("driver"), 0), spread(of("bare"), 0), spread(ratios, 2)]
}

const table = [[`${rounds} rounds`, "driver ms", "bare calls ms", "ratio"]]
try {
  table.push([...await measure(provisions)])
  await drive(OURS, NEW)
  await off(OURS)
  const disk = (await call(CALLS.volumeList, [pool, 1, 0]))[0].find(({ name }) => /^instance-1\..*qcow2$/.test(name))!
  host.exec("qemu-io", "-c", `write -P 85 100M ${DATA_MIB}M`, disk.key)
  table.push([...await measure(starts)])
  await call(CALLS.create, [await domainOf(OURS), 0])
  await booted(OURS)
  table.push([...await measure(snapshots)])
  process.stdout.write(`${align(table)}\n`)
} finally {
  await runtime.dispose()
  session.close()
  process.exit()
}
