/**
 * Samples of simulated machines, which look like those of real ones: a daily load curve with noise at every resolution.
 * They are a function of machine and time, so they are repeatable, and a coarse sample is the mean of its fine ones:
 * each step's load is its parent's plus a share of a sum of zero.
 */
import { partsOfSize } from "../../../domain/MachineSize.ts"
import type { Sample } from "../../../domain/Metrics.ts"
import type { SimulatedPower } from "../../../persistence/SimulatedMachines.ts"

/** Steps in seconds, coarsest first, and the maximum deviation from the parent. Their sum is below the base. */
const LEVELS = [
  { step: 21_600, deviation: 0.1 },
  { step: 3_600, deviation: 0.05 },
  { step: 300, deviation: 0.04 },
  { step: 60, deviation: 0.03 },
  { step: 10, deviation: 0.02 }
] as const

/** The base load, from 0 to 1, and the deviation of each quarter of the day. */
const BASE = 0.48
const QUARTERS = [-0.08, 0.02, 0.08, -0.02]

/** A well-mixed number from -1 to 1 for some integers (the finalizer of MurmurHash3, per part). */
const noise = (...parts: ReadonlyArray<number>): number => {
  let hash = 0x9747b28c
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return (hash >>> 0) / 0x80000000 - 1
}

/** The mean load of a step of a level, from 0 to 1. `metric` distinguishes the measured quantities. */
const load = (id: number, metric: number, level: number, index: number): number => {
  const { step, deviation } = LEVELS[level]!
  const own = noise(id, metric, level, index)
  if (level === 0) return BASE + QUARTERS[index % QUARTERS.length]! + deviation * own
  const count = LEVELS[level - 1]!.step / step
  const first = index - index % count
  let sum = 0
  for (let sibling = first; sibling < first + count; sibling++) sum += noise(id, metric, level, sibling)
  return load(id, metric, level - 1, first / count) + deviation * (own - sum / count)
}

/** Memory and disk of a machine whose plan does not specify them. */
const MEMORY_BYTES = 2 ** 30
const DISK_BYTES = 20 * 2 ** 30

/** Memory and disk of a plan's specs, in bytes. */
export const sizesOf = (specs: string | null): { readonly memory: number; readonly disk: number } => {
  const { diskGib, memoryMib } = partsOfSize(specs)
  return {
    memory: memoryMib === undefined ? MEMORY_BYTES : memoryMib * 2 ** 20,
    disk: diskGib === undefined ? DISK_BYTES : diskGib * 2 ** 30
  }
}

/** The fraction of a time range in epoch milliseconds in which the machine was on. */
const onPart = (changes: ReadonlyArray<SimulatedPower>, from: number, to: number): number => {
  let on = 0
  for (const [index, { at, power }] of changes.entries()) {
    if (power === "on") on += Math.max(0, Math.min(to, changes[index + 1]?.at ?? to) - Math.max(from, at))
  }
  return on / (to - from)
}

/** Full load per second, as of a busy small machine. */
const DISK_READ = 8_000_000
const DISK_WRITE = 5_000_000
const NETWORK_RX = 2_500_000
const NETWORK_TX = 4_000_000
const CPU_PERCENT = 70

export interface Subject {
  readonly id: number
  readonly specs: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The power history, oldest first. */
  readonly changes: ReadonlyArray<SimulatedPower>
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

/** The sample of a step; `index` counts the steps since 1970. */
const sampleAt = ({ changes, id, specs }: Subject, level: number, index: number): Sample => {
  const millis = LEVELS[level]!.step * 1_000
  const at = (index + 1) * millis
  const part = onPart(changes, at - millis, at)
  const { memory } = sizesOf(specs)
  const of = (metric: number, full: number) => part * full * load(id, metric, level, index)
  return {
    at,
    cpuPercent: hundredths(of(0, CPU_PERCENT)),
    memoryBytes: Math.round(of(1, memory)),
    memoryTotalBytes: memory,
    diskReadBytesPerSecond: Math.round(of(2, DISK_READ)),
    diskWriteBytesPerSecond: Math.round(of(3, DISK_WRITE)),
    networkRxBytesPerSecond: Math.round(of(4, NETWORK_RX)),
    networkTxBytesPerSecond: Math.round(of(5, NETWORK_TX))
  }
}

/** The samples of all steps that ended after `from` and until `to`, and began after the machine was created. */
export const samples = (
  subject: Subject,
  { from, stepSeconds, to }: { readonly from: number; readonly stepSeconds: number; readonly to: number }
): ReadonlyArray<Sample> => {
  const level = LEVELS.findIndex(({ step }) => step === stepSeconds)
  if (level < 0) return []
  const millis = stepSeconds * 1_000
  const first = Math.max(Math.floor(from / millis), Math.ceil(subject.createdAt / millis))
  const end = Math.floor(to / millis)
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => sampleAt(subject, level, first + index))
}
