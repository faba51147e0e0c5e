/** Samples from counters: the mean between two readings. */
import type { Sample } from "../../../../domain/Metrics.ts"
import type { MachineSize } from "../../../../domain/MachineComparison.ts"
import type { Counters } from "../rpc/Counters.ts"

/** Counters with the time at which they were read, in epoch milliseconds. */
export interface Reading {
  readonly at: number
  readonly counters: Counters
}

const KIB = 2 ** 10
const MIB = 2 ** 20
const NANOS_PER_MILLI = 1e6
const MILLIS = 1_000

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
