/**
 * Measures all machines at intervals, with one call for each host. One process does it for all replicas. A sample is
 * the mean between two readings of counters.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FINEST_STEP_SECONDS, type Sample } from "../../../../domain/Metrics.ts"
import type { MachineSize } from "../../../../domain/MachineSize.ts"
import { type Counters, STATS_FLAGS, STATS_MASK } from "../rpc/Counters.ts"
import { Limits } from "../../../../config/Limits.ts"
import { type Host, Hosts } from "../../../../persistence/Hosts.ts"
import { type JobLeases, repeatAlone } from "../../../../persistence/JobLeases.ts"
import { MetricsStore, RINGS, type TaggedSample } from "../../../../persistence/metrics/MetricsStore.ts"
import type { Transaction } from "../../../../persistence/Transaction.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import { HostConnections } from "../HostConnection.ts"

/** Counters with the time at which they were read, in epoch milliseconds. */
export interface Reading {
  readonly at: number
  readonly counters: Counters
}

const KIB = 2 ** 10
const MIB = 2 ** 20
const NANOS_PER_MILLI = 1e6

/** The memory in use: what the guest reports, else what QEMU occupies. */
const memoryOf = ({ memory }: Counters, size: MachineSize) => {
  const total = (memory["balloon.current"] ?? 0) * KIB || size.memoryMib * MIB
  const free = memory["balloon.usable"] ?? memory["balloon.unused"]
  const available = memory["balloon.available"]
  const used = free !== undefined && available !== undefined ? available - free : memory["balloon.rss"] ?? 0
  return { memoryTotalBytes: total, memoryBytes: Math.min(total, Math.max(0, used * KIB)) }
}

/** The sample of a machine that is off. */
export const idle = (at: number, size: MachineSize): Sample => ({
  at,
  cpuPercent: 0,
  memoryBytes: 0,
  memoryTotalBytes: size.memoryMib * MIB,
  diskReadBytesPerSecond: 0,
  diskWriteBytesPerSecond: 0,
  networkRxBytesPerSecond: 0,
  networkTxBytesPerSecond: 0
})

/** The sample of a step that ended at a time. After a start of the machine, all counters begin at 0. */
export const sampleBetween = (
  at: number,
  before: Reading,
  now: Reading,
  size: MachineSize
): Sample => {
  const millis = now.at - before.at
  const isSame = before.counters.id === now.counters.id && now.counters.cpuNanos >= before.counters.cpuNanos
  const increase = (of: (counters: Counters) => number) =>
    Math.max(0, of(now.counters) - (isSame ? of(before.counters) : 0))
  const perSecond = (of: (counters: Counters) => number) => Math.round(increase(of) * MILLIS / millis)
  const cpu = 100 * increase(({ cpuNanos }) => cpuNanos) / (NANOS_PER_MILLI * millis * size.cpus)
  return {
    at,
    cpuPercent: Math.min(100, Math.round(cpu * 100) / 100),
    ...memoryOf(now.counters, size),
    diskReadBytesPerSecond: perSecond(({ readBytes }) => readBytes),
    diskWriteBytesPerSecond: perSecond(({ writeBytes }) => writeBytes),
    networkRxBytesPerSecond: perSecond(({ rxBytes }) => rxBytes),
    networkTxBytesPerSecond: perSecond(({ txBytes }) => txBytes)
  }
}

const MILLIS = 1_000
const STEP_MILLIS = FINEST_STEP_SECONDS * MILLIS

/** After a longer pause, the mean since the last reading says nothing about the last step. */
const READING_MILLIS_MAX = 3 * STEP_MILLIS

/** Hosts that are measured at once. */
const CONCURRENCY = 16

/** The counters of the last reading, by tag. */
type Readings = Map<string, Reading>

/** The samples of a host's machines for the step that ended at a time, and the readings for the next one. */
const sampleHost = Effect.fnUntraced(function*(host: Host, end: number, before: Readings) {
  const hosts = yield* Hosts
  const connection = (yield* HostConnections)(host)
  const reply = yield* connection.call(CALLS.counters, [[], STATS_MASK, STATS_FLAGS])
  const at = yield* Clock.currentTimeMillis
  const running = new Map(reply.map((counters) => [counters.name, { at, counters }]))
  const samples: Array<TaggedSample> = []
  const readings: Readings = new Map()
  for (const { size, tag } of yield* hosts.reservationsOn(host.id)) {
    const reading = running.get(tag)
    if (reading === undefined) samples.push({ tag, sample: idle(end, size) })
    else {
      readings.set(tag, reading)
      const last = before.get(tag)
      if (last !== undefined && at > last.at && at - last.at <= READING_MILLIS_MAX) {
        samples.push({ tag, sample: sampleBetween(end, last, reading, size) })
      }
    }
  }
  return { samples, readings }
})

/** One round over all hosts, and the means of the steps that have ended since the last one. */
export const makeRound = Effect.gen(function*() {
  const hosts = yield* Hosts
  const store = yield* MetricsStore
  const { HOST_REPLY_MILLIS } = yield* Limits
  let last: Readings = new Map()
  let lastEnd = 0
  /** The end of the last step of each ring that was rolled up. */
  const rolled = new Map<number, number>()

  const measure = Effect.fnUntraced(function*(host: Host, end: number, next: Readings) {
    const measured = yield* Effect.timeout(sampleHost(host, end, last), HOST_REPLY_MILLIS)
    for (const [tag, reading] of measured.readings) next.set(tag, reading)
    yield* store.write(measured.samples)
    return measured.samples.map(({ tag }) => tag)
  })

  const rollUp = Effect.fnUntraced(function*(now: number, tags: ReadonlyArray<string>) {
    for (const [index, ring] of RINGS.entries()) {
      const finer = RINGS[index - 1]
      const step = ring.stepSeconds * MILLIS
      const end = Math.floor(now / step) * step
      if (finer === undefined || rolled.get(ring.stepSeconds) === end) continue
      yield* store.rollUp(finer, ring, end, tags)
      rolled.set(ring.stepSeconds, end)
    }
  })

  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const end = Math.floor(now / STEP_MILLIS) * STEP_MILLIS
    // A timer may be early.
    if (end === lastEnd) return
    lastEnd = end
    const next: Readings = new Map()
    const answering = (yield* hosts.list).filter(({ state, unreachableSince }) =>
      state !== "offline" && unreachableSince === null
    )
    const tags = yield* Effect.forEach(
      answering,
      // The watch over hosts reports one that does not answer.
      (host) => Effect.orElseSucceed(measure(host, end, next), () => []),
      { concurrency: CONCURRENCY }
    )
    last = next
    yield* rollUp(now, tags.flat())
  })
})

/** Measures while its scope is open. */
export const layer: Layer.Layer<
  never,
  never,
  Hosts | JobLeases | Limits | MetricsStore | HostConnections | Transaction
> = Layer
  .effectDiscard(
    Effect.gen(function*() {
      const context = yield* Effect.context<Hosts | MetricsStore | HostConnections>()
      const round = Effect.provideContext(yield* makeRound, context)
      yield* repeatAlone("metrics", STEP_MILLIS, round, Effect.void)
    })
  )
