/** Metrics of machines: the arithmetic of counters, and rounds over hosts whose daemons reply as each case needs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Limits } from "#service/config/Limits"
import { Hosts } from "#service/persistence/Hosts"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { MetricsStore } from "#service/persistence/metrics/MetricsStore"
import { Transaction } from "#service/persistence/Transaction"
import { idle, makeRound, type Reading, sampleBetween } from "#service/provisioning/drivers/libvirt/metrics/Sampler"
import { type Counters, STATS_FLAGS, STATS_MASK } from "#service/provisioning/drivers/libvirt/rpc/Counters"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { decode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { HOST } from "../../persistence/suite/hosts.ts"
import { DEFAULT_LIMITS } from "../../support/limits.ts"
import { buy, serviceLayer } from "../../support/service.ts"
import { allStats, result, startDaemon } from "./FakeDaemon.ts"
import { fixedTag, fixedTags } from "../../support/machineTag.ts"

const { counters, stats } = PROCEDURES
const SIZE = { cpus: 2, memoryMib: 1_024, diskGib: 10 }
const UUID = "11111111-2222-5333-8444-555555555555"

/** Counters that grow by so much in each second of a machine's life. */
const after = (seconds: number, id = 1): Counters => ({
  name: fixedTag(1),
  id,
  cpuNanos: seconds * 5e8,
  memory: { "balloon.current": 2 ** 20, "balloon.available": 900_000, "balloon.usable": 400_000, "balloon.rss": 1 },
  rxBytes: seconds * 1_000,
  txBytes: seconds * 2_000,
  readBytes: seconds * 3_000,
  writeBytes: seconds * 4_000
})

const reading = (at: number, seconds: number, id = 1): Reading => ({ at, counters: after(seconds, id) })

/** The values of the recorded reply, read by the other codec. */
const valuesOf = (prefix: string): Readonly<Record<string, number>> => {
  const { parameters } = decode(stats.result, allStats())[0]!
  return Object.fromEntries(
    parameters.flatMap(({ name, value }) => name.startsWith(prefix) ? [[name, Number(value)]] : [])
  )
}

describe("a sample", () => {
  const expected = {
    at: 20_000,
    cpuPercent: 25,
    memoryBytes: 512_000_000,
    memoryTotalBytes: 2 ** 30,
    networkRxBytesPerSecond: 1_000,
    networkTxBytesPerSecond: 2_000,
    diskReadBytesPerSecond: 3_000,
    diskWriteBytesPerSecond: 4_000
  }

  it("is the mean between two readings, of all virtual CPUs together", () =>
    assert.deepStrictEqual(sampleBetween(20_000, reading(10_002, 50), reading(20_002, 60), SIZE), expected))

  it("counts from 0 after a start, whether the counters are lower or higher than before", () => {
    for (const seconds of [3, 60]) {
      const sample = sampleBetween(20_000, reading(10_000, 50), reading(20_000, seconds, 2), SIZE)
      assert.strictEqual(sample.networkRxBytesPerSecond, seconds * 100)
    }
    const lower = sampleBetween(20_000, reading(10_000, 50), reading(20_000, 3), SIZE)
    assert.strictEqual(lower.networkTxBytesPerSecond, 600)
  })

  it("has bounds: never more than all of the CPU or of the memory", () => {
    const busy = { at: 20_000, counters: { ...after(1_000), memory: { "balloon.rss": 2 ** 40 } } }
    const sample = sampleBetween(20_000, reading(10_000, 0), busy, SIZE)
    assert.deepInclude(sample, { cpuPercent: 100, memoryBytes: 2 ** 30, memoryTotalBytes: 2 ** 30 })
  })

  it("without a reply of the guest has the memory that QEMU occupies", () => {
    const memory = { "balloon.current": 2 ** 20, "balloon.rss": 300_000 }
    const now = { at: 20_000, counters: { ...after(60), memory } }
    assert.strictEqual(sampleBetween(20_000, reading(10_000, 50), now, SIZE).memoryBytes, 307_200_000)
  })
})

describe("libvirt's counters", () => {
  it("are read from the recorded reply for a guest", () => {
    const [one] = decode(counters.result, allStats())
    assert.deepStrictEqual(one, {
      name: "instance-1",
      id: 1,
      cpuNanos: 6_190_000_000,
      memory: valuesOf("balloon."),
      rxBytes: valuesOf("net.0.")["net.0.rx.bytes"]!,
      txBytes: valuesOf("net.0.")["net.0.tx.bytes"]!,
      readBytes: valuesOf("block.0.")["block.0.rd.bytes"]!,
      writeBytes: valuesOf("block.0.")["block.0.wr.bytes"]!
    })
    assert.deepInclude(one!.memory, { "balloon.available": 158_064, "balloon.usable": 119_900 })
    const sample = sampleBetween(20_000, { at: 10_000, counters: one! }, { at: 20_000, counters: one! }, SIZE)
    assert.deepInclude(sample, { memoryBytes: 38_164 * 1_024, memoryTotalBytes: 192 * 2 ** 20, cpuPercent: 0 })
  })
})

const parametersOf = ({ cpuNanos, memory, readBytes, rxBytes, txBytes, writeBytes }: Counters) =>
  Object.entries({
    "state.reason": "text",
    "cpu.time": cpuNanos,
    ...memory,
    "net.0.name": "vnet1",
    "net.0.rx.bytes": rxBytes,
    "net.1.rx.bytes": 0,
    "net.0.tx.bytes": txBytes,
    "block.0.rd.bytes": readBytes,
    "block.0.wr.bytes": writeBytes
  }).map(([name, value]) => ({ name, value }))

/** A host whose machines the test sets; null: it does not reply. */
const daemon = (state: { machines: ReadonlyArray<Counters> | null; calls: Array<unknown> }) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startDaemon((packet, reply) => {
        const [, mask, flags] = decode(stats.arguments, packet.body)
        state.calls.push([mask, flags])
        if (state.machines === null) return
        const domains = state.machines.map((each) => ({
          domain: { name: each.name, uuid: UUID, id: each.id },
          parameters: parametersOf(each)
        }))
        reply(result(stats, packet, domains))
      })
    ),
    ({ close }) => Effect.promise(close)
  )

const services = () =>
  Layer.mergeAll(Layer.fresh(MetricsFiles.layer(undefined)), HostConnections.layer).pipe(
    Layer.provideMerge(Layer.succeed(Limits, { ...DEFAULT_LIMITS, LIBVIRT_CALL_MILLIS: 100 })),
    Layer.provideMerge(Layer.provide(serviceLayer(), fixedTags))
  )

/** A host with the machines of two instances. */
const placed = Effect.fnUntraced(function*(path: string) {
  const hosts = yield* Hosts
  const { run } = yield* Transaction
  const hostId = yield* run(hosts.add({ ...HOST, uri: `unix:${path}` }))
  for (let machine = 0; machine < 2; machine++) {
    const { id: instanceId } = yield* buy()
    yield* run(hosts.reserve({ instanceId, hostId, accountId: 1, size: SIZE }))
  }
})

const samples = (tag: string, stepSeconds = 10) =>
  Effect.flatMap(MetricsStore, ({ read }) => read(tag, { stepSeconds, from: 0, to: 10 ** 12 }))

/** A multiple of every step. */
const DAY = 86_400_000

const at = (millis: number) => TestClock.setTime(DAY + millis)

describe("a round", () => {
  it.effect("measures all machines of a host with one call: what ran has its means, what was off has zeros", () =>
    Effect.gen(function*() {
      const state = { machines: [after(1), { ...after(1), name: "of-another" }], calls: [] as Array<unknown> }
      const { path } = yield* daemon(state)
      yield* placed(path)
      const round = yield* makeRound
      yield* at(10_001)
      yield* round
      assert.deepStrictEqual(yield* samples(fixedTag(1)), [])
      assert.deepStrictEqual(yield* samples(fixedTag(2)), [idle(DAY + 10_000, SIZE)])
      state.machines = [after(11)]
      yield* at(20_001)
      yield* round
      assert.deepStrictEqual(state.calls, [[STATS_MASK, STATS_FLAGS], [STATS_MASK, STATS_FLAGS]])
      assert.deepInclude((yield* samples(fixedTag(1)))[0], { at: DAY + 20_000, cpuPercent: 25 })
      assert.lengthOf(yield* samples(fixedTag(1)), 1)
      assert.lengthOf(yield* samples(fixedTag(2)), 2)
      assert.deepStrictEqual(yield* samples("of-another"), [])
      yield* at(20_500)
      yield* round
      assert.lengthOf(state.calls, 2)
    }).pipe(Effect.scoped, Effect.provide(services())))

  it.effect("waits for no host that does not reply, and does not take a long gap for a step", () =>
    Effect.gen(function*() {
      const state = { machines: [after(1)] as ReadonlyArray<Counters> | null, calls: [] as Array<unknown> }
      const { path } = yield* daemon(state)
      yield* placed(path)
      const round = yield* makeRound
      yield* at(10_000)
      yield* round
      state.machines = null
      yield* at(20_000)
      yield* round
      state.machines = [after(21)]
      yield* at(30_000)
      yield* round
      // The reading before the gap was dropped.
      assert.deepStrictEqual(yield* samples(fixedTag(1)), [])
      state.machines = [after(31)]
      yield* at(70_000)
      yield* round
      assert.deepStrictEqual(yield* samples(fixedTag(1)), [])
      state.machines = [after(41)]
      yield* at(80_000)
      yield* round
      assert.lengthOf(yield* samples(fixedTag(1)), 1)
    }).pipe(Effect.scoped, Effect.provide(services())))

  it.effect("rolls up what has ended since, also the step in which the service was started", () =>
    Effect.gen(function*() {
      const state = { machines: [after(0)], calls: [] as Array<unknown> }
      const { path } = yield* daemon(state)
      yield* placed(path)
      let round = yield* makeRound
      for (let second = 0; second <= 300; second += 10) {
        // A restart in the middle of a step.
        if (second === 150) round = yield* makeRound
        state.machines = [after(second)]
        yield* at(second * 1_000)
        yield* round
      }
      const minutes = yield* samples(fixedTag(1), 60)
      assert.deepStrictEqual(minutes.map((each) => each.at), [60, 120, 180, 240, 300].map((s) => DAY + s * 1_000))
      assert.isTrue(minutes.every(({ cpuPercent }) => cpuPercent === 25))
      const five = yield* samples(fixedTag(1), 300)
      assert.deepInclude(five[0], { at: DAY + 300_000, networkRxBytesPerSecond: 1_000 })
      assert.lengthOf(five, 1)
      assert.deepStrictEqual(yield* samples(fixedTag(1), 3_600), [])
    }).pipe(Effect.scoped, Effect.provide(services())))
})
