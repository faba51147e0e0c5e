/**
 * Samples of machines that do nothing. They look like a server's: a load that follows the day, with rough hours and
 * rough seconds. They are a function of machine and moment, so that asking twice answers the same, and a coarse
 * sample is the mean of its fine ones: each step's load is its parent's plus a share of a sum of zero.
 */
import type { Sample } from "../../../domain/Metrics.ts"
import type { SimulatedPower } from "../../../persistence/simulated/Images.ts"

/** Steps in seconds, coarsest first, and how far each may stray from its parent. Together they stay below the base. */
const LEVELS = [
  { step: 21_600, stray: 0.1 },
  { step: 3_600, stray: 0.05 },
  { step: 300, stray: 0.04 },
  { step: 60, stray: 0.03 },
  { step: 10, stray: 0.02 }
] as const

/** Load in the middle of nowhere, from 0 to 1, and what each quarter of the day adds to it. */
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

/** Mean load of one step of a level, from 0 to 1. `what` tells the measured things apart. */
const load = (id: number, what: number, level: number, place: number): number => {
  const { step, stray } = LEVELS[level]!
  const own = noise(id, what, level, place)
  if (level === 0) return BASE + QUARTERS[place % QUARTERS.length]! + stray * own
  const count = LEVELS[level - 1]!.step / step
  const first = place - place % count
  let sum = 0
  for (let sibling = first; sibling < first + count; sibling++) sum += noise(id, what, level, sibling)
  return load(id, what, level - 1, first / count) + stray * (own - sum / count)
}

/** Bytes in the units that plans are described with. */
const UNITS: Readonly<Record<string, number>> = { MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 }

/** The first quantity in a text such as "2 GB" or "40 GB NVMe", in bytes; undefined when there is none. */
const bytesIn = (text: unknown): number | undefined => {
  const [, amount, unit] = typeof text === "string" ? /(\d{1,15}) ?([MGT]B)/.exec(text) ?? [] : []
  return unit === undefined ? undefined : Number(amount) * UNITS[unit]!
}

/** Memory and disk of a machine whose plan does not say. */
const MEMORY_BYTES = 2 ** 30
const DISK_BYTES = 20 * 2 ** 30

/** What the specs of a plan come to, in bytes. */
export const sizesOf = (specs: string | null): { readonly memory: number; readonly disk: number } => {
  const known = (specs === null ? {} : JSON.parse(specs)) as { readonly ram?: unknown; readonly storage?: unknown }
  return { memory: bytesIn(known.ram) ?? MEMORY_BYTES, disk: bytesIn(known.storage) ?? DISK_BYTES }
}

/** The part of a time, both ends in epoch milliseconds, in which the machine was on, from 0 to 1. */
const onPart = (changes: ReadonlyArray<SimulatedPower>, from: number, to: number): number => {
  let on = 0
  for (const [index, { at, power }] of changes.entries()) {
    if (power === "on") on += Math.max(0, Math.min(to, changes[index + 1]?.at ?? to) - Math.max(from, at))
  }
  return on / (to - from)
}

/** Full load, per second: a busy small server. */
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
  /** When it was switched on and off, oldest first. */
  readonly changes: ReadonlyArray<SimulatedPower>
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

/** The sample of one step; `place` counts the steps since 1970. */
const sampleAt = ({ changes, id, specs }: Subject, level: number, place: number): Sample => {
  const millis = LEVELS[level]!.step * 1_000
  const at = (place + 1) * millis
  const part = onPart(changes, at - millis, at)
  const { memory } = sizesOf(specs)
  const of = (what: number, full: number) => part * full * load(id, what, level, place)
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

/** Every step that ended after `from` and until `to`, and began once the machine was there. */
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
