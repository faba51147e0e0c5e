/** The space in a pool that copies in progress will need, of which each one knows only by the others' records. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Limits } from "#service/config/Limits"
import { diskLimits } from "#service/domain/DiskPromises"
import type { Host } from "#service/persistence/Hosts"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { Driver } from "#service/provisioning/Driver"
import { type HostConnection, HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import { listHost } from "#service/provisioning/drivers/libvirt/Listing"
import {
  type MachineRecord,
  newRecord,
  type Space,
  toElement,
  uuidOf
} from "#service/provisioning/drivers/libvirt/MachineRecord"
import { CODES, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import type { Procedure } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { reserve } from "#service/provisioning/drivers/libvirt/Space"
import { HOST } from "../../persistence/suite/hosts.ts"
import { assignmentOf, placesOn, SIZE } from "../../libvirt/OneHost.ts"
import { DEFAULT_LIMITS } from "../../support/limits.ts"

const MIB = 2 ** 20
const TAGS = ["instance-1", "instance-2", "instance-3"]

/** A host with a pool, whose daemon knows machines and volumes. */
class Pool {
  availableMib = 1_000
  /** The daemon refuses to read the pool while it copies a volume. */
  isBusy = false
  readonly volumes = new Map<string, number>()
  /** Of all machines: libvirt's numbers of the state and its reason. */
  state: readonly [state: number, reason: number] = [1, 1]
  readonly records = new Map(TAGS.map((tag): [string, MachineRecord] => {
    const assignment = { ...assignmentOf(tag), ipv6: null, ipv6Gateway: null, ipv6Prefix: null }
    return [tag, newRecord(tag, { assignment, size: SIZE }, { hostname: tag, os: "debian-12" }, `${tag}.x.qcow2`)]
  }))
  readonly host: Host

  constructor(id: number, sharedStorage: string | null) {
    const used = { cpus: 0, memoryMib: 0, diskGib: 0 }
    this.host = {
      ...HOST,
      id,
      name: `host-${id}`,
      sharedStorage,
      state: "active",
      used,
      diskLeftGib: null,
      unreachableSince: null
    }
  }

  readonly answers: Readonly<Record<string, (values: ReadonlyArray<unknown>) => unknown>> = {
    poolLookup: ([name]) => ({ name, uuid: "" }),
    poolRefresh: () => {
      if (this.isBusy) throw new LibvirtError("poolRefresh", { code: CODES.INTERNAL, message: null })
    },
    poolInfo: () => [2, 0, 0, this.availableMib * MIB],
    list: () => [TAGS.map((name) => ({ name, uuid: uuidOf(name), id: 1 })), TAGS.length],
    lookup: ([uuid]) => ({ name: TAGS.find((tag) => uuidOf(tag) === uuid), uuid, id: 1 }),
    metadata: ([domain]) => toElement(this.records.get((domain as { readonly name: string }).name)!),
    volumeList: () => [[...this.volumes.keys()].map((name) => ({ pool: "default", name, key: name })), 0],
    state: () => this.state,
    // Of a machine without a network card.
    description: () => "<domain></domain>",
    volumeXml: ([volume]) => {
      const mib = this.volumes.get((volume as { readonly name: string }).name)!
      return `<volume><allocation unit='bytes'>${mib * MIB}</allocation></volume>`
    },
    volumeInfo: ([volume]) => [0, 0, this.volumes.get((volume as { readonly name: string }).name)! * MIB]
  }

  readonly connection = {
    call: ({ name }: Procedure<ReadonlyArray<unknown>, unknown>, values: ReadonlyArray<unknown>) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.try({ try: () => this.answers[name]!(values), catch: (error) => error as LibvirtError })
      ),
    slow: (procedure: Procedure<ReadonlyArray<unknown>, unknown>, values: ReadonlyArray<unknown>) =>
      this.connection.call(procedure, values),
    certificates: Effect.succeed([]),
    failure: () => null,
    count: () => 1
  } as unknown as HostConnection

  /** Reserves for a snapshot; `machine` is on this host. */
  reserve(tag: string, mib: number, among: ReadonlyArray<Pool> = [this], lock = Semaphore.makeUnsafe(1)) {
    const storages = {
      hosts: Effect.succeed(among.map(({ host }) => host)),
      connectionTo: (of: Host) => among.find(({ host }) => host.id === of.id)!.connection,
      lock
    }
    const pending = { key: tag, type: "snapshot_create", since: 1, step: 0, wasOn: true, image: "snapshot-1" } as const
    const record = { ...this.records.get(tag)!, pending }
    const pool = { host: this.host, connection: this.connection, pool: this.host.pool }
    const write = (spaces: ReadonlyArray<Space>) => Effect.sync(() => void this.records.set(tag, { ...record, spaces }))
    return reserve(storages, record, [{ pool, volume: `${tag}.snapshot-1`, bytes: mib * MIB }], 100, write).pipe(
      Effect.match({
        onSuccess: () => "reserved",
        onFailure: ({ message }) => {
          this.records.set(tag, { ...record, pending: null })
          return message
        }
      })
    )
  }
}

describe("copies that run together", () => {
  it.effect("leave the reserve free: those that do not fit beside the others wait", () =>
    Effect.gen(function*() {
      const pool = new Pool(1, null)
      const lock = Semaphore.makeUnsafe(1)
      const results = yield* Effect.forEach(TAGS, (tag) => pool.reserve(tag, 400, [pool], lock), { concurrency: 3 })
      assert.deepStrictEqual(results.filter((each) => each === "reserved").length, 2)
      assert.match(results[2]!, /has 1000 MiB left, and the file needs 400 MiB, 800 MiB are reserved for copies in/)
    }))

  it.effect("are never too many, also if other processes make them at the same time", () =>
    Effect.gen(function*() {
      const pool = new Pool(1, null)
      const results = yield* Effect.forEach(TAGS, (tag) => pool.reserve(tag, 500), { concurrency: 3 })
      assert.isAtMost(results.filter((each) => each === "reserved").length, 1)
      assert.strictEqual(yield* pool.reserve(TAGS[0]!, 500), "reserved")
    }))

  it.effect("need less the more of them is written, unless the pool could not be read", () =>
    Effect.gen(function*() {
      const pool = new Pool(1, null)
      assert.strictEqual(yield* pool.reserve(TAGS[0]!, 600), "reserved")
      pool.volumes.set(`${TAGS[0]!}.snapshot-1.qcow2`, 500)
      pool.isBusy = true
      assert.match(yield* pool.reserve(TAGS[1]!, 400), /600 MiB are reserved/)
      pool.isBusy = false
      assert.strictEqual(yield* pool.reserve(TAGS[1]!, 400), "reserved")
    }))

  it.effect("need nothing once they have ended", () =>
    Effect.gen(function*() {
      const pool = new Pool(1, null)
      assert.strictEqual(yield* pool.reserve(TAGS[0]!, 900), "reserved")
      pool.records.set(TAGS[0]!, { ...pool.records.get(TAGS[0]!)!, pending: null })
      assert.strictEqual(yield* pool.reserve(TAGS[1]!, 900), "reserved")
    }))

  it.effect("count on all hosts with the same storage, and on no other one", () =>
    Effect.gen(function*() {
      for (const [storage, expected] of [["nas", /900 MiB are reserved/], [null, /^reserved$/]] as const) {
        const [one, other] = [new Pool(1, storage), new Pool(2, storage)]
        assert.strictEqual(yield* one.reserve(TAGS[0]!, 900, [one, other]), "reserved")
        assert.match(yield* other.reserve(TAGS[1]!, 500, [one, other]), expected)
      }
    }))
})

describe("the disk that may be sold on a host", () => {
  const list = ({ connection, host }: Pool) =>
    listHost(connection, host, "all", { ...DEFAULT_LIMITS, LIBVIRT_POOL_RESERVE_MIB: 1_024 })
  const promised = (host: string) => TAGS.map((tag) => ({ tag, host, target: null }))

  it.effect("is what its instances have written, and what is free beside the reserve and the copies in progress", () =>
    Effect.gen(function*() {
      const pool = new Pool(1, null)
      pool.availableMib = 11 * 1_024
      const limit = (instances = promised("host-1")) =>
        Effect.map(list(pool), (contents) => diskLimits([contents], instances).get("host-1"))
      assert.strictEqual(yield* limit(), 10)
      // The disk of an instance; files of others, snapshots, and a disk that no instance has are used space.
      pool.volumes.set("instance-1.0123456789.qcow2", 3 * 1_024)
      assert.strictEqual(yield* limit(), 13)
      pool.volumes.set("instance-1.snapshot-1.qcow2", 1_024).set("other.raw", 1_024)
      pool.volumes.set("instance-9.0123456789.qcow2", 1_024)
      assert.strictEqual(yield* limit(), 13)
      assert.strictEqual(yield* limit(promised("elsewhere")), 10)
      assert.strictEqual(yield* pool.reserve(TAGS[1]!, 4 * 1_024), "reserved")
      assert.strictEqual(yield* limit(), 9)
      pool.volumes.set("instance-2.snapshot-1.qcow2", 3 * 1_024)
      assert.strictEqual(yield* limit(), 12)
      pool.availableMib = 0
      pool.volumes.clear()
      assert.strictEqual(yield* limit(), 0)
    }))

  it.effect("counts the copies of all hosts with the same storage, and keeps that of a host that is not read", () =>
    Effect.gen(function*() {
      const [one, other] = [new Pool(1, "nas"), new Pool(2, "nas")]
      for (const pool of [one, other]) pool.availableMib = 11 * 1_024
      other.records.set(TAGS[0]!, {
        ...other.records.get(TAGS[0]!)!,
        pending: { key: "k", type: "snapshot_create", since: 1, step: 0, wasOn: true, image: "snapshot-1" },
        spaces: [{ storage: "disks of nas", volume: "instance-1.snapshot-1", bytes: 2 * 1_024 * MIB }]
      })
      const contents = [yield* list(one), yield* list(other)]
      assert.deepStrictEqual([...diskLimits(contents, [])], [["host-1", 8], ["host-2", 8]])
      const silent = yield* listHost(one.connection, { ...one.host, unreachableSince: 1 }, "all", DEFAULT_LIMITS)
      assert.deepStrictEqual([...diskLimits([silent], [])], [])
    }))
})

describe("the live state of a guest", () => {
  it.effect.each(
    [
      ["that runs", [1, 1], { power: "on" }],
      ["that libvirt paused because it could not write", [3, 5], { power: "on", paused: "storage_full" }],
      ["that an operator paused", [3, 1], { power: "on" }],
      ["that is off", [5, 1], { power: "off" }]
    ] as const
  )("%s", ([, state, expected]) => {
    const pool = new Pool(1, null)
    pool.state = state
    const driver = Libvirt.layer({ nameservers: [] }).pipe(
      Layer.provide(Layer.succeed(HostConnections, () => pool.connection)),
      Layer.provide(Layer.mergeAll(placesOn(() => pool.host), MetricsFiles.layer(undefined))),
      Layer.provide(Layer.succeed(Limits, DEFAULT_LIMITS))
    )
    return Effect.gen(function*() {
      const { sample: _, ...live } = yield* (yield* Driver).inspect({ tag: TAGS[0]!, providerId: TAGS[0]! })
      assert.deepStrictEqual(live, { ...expected, uptimeSeconds: 0 })
    }).pipe(Effect.provide(driver))
  })
})
