/**
 * The store of samples for a database that this process owns: one file of 41 kB for each machine, in a folder beside
 * the database. A sample is written in place and not synchronized to the disk: a power failure may lose some.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FINEST_STEP_SECONDS, type Sample } from "../../domain/Metrics.ts"
import { meanOf, MetricsStore, type Ring, RINGS, slotOf, type TaggedSample, toSample, VALUES } from "./MetricsStore.ts"

const FLOAT_BYTES = 4
/** The time in seconds, which fits until 2106, and the values as floating point numbers with 24 significant bits. */
const SAMPLE_BYTES = FLOAT_BYTES * (1 + VALUES.length)
const MILLIS = 1_000

/** The first byte of each ring in a file. */
const OFFSETS = new Map<number, number>()
let fileBytes = 0
for (const { slots, stepSeconds } of RINGS) {
  OFFSETS.set(stepSeconds, fileBytes)
  fileBytes += slots * SAMPLE_BYTES
}

/** The size of a file once every slot was written. */
export const FILE_BYTES = fileBytes

const encode = (sample: Sample): Buffer => {
  const bytes = Buffer.alloc(SAMPLE_BYTES)
  bytes.writeUInt32LE(sample.at / MILLIS)
  for (const [index, name] of VALUES.entries()) bytes.writeFloatLE(sample[name], FLOAT_BYTES * (index + 1))
  return bytes
}

const decode = (bytes: Buffer, offset: number): Sample =>
  toSample(
    bytes.readUInt32LE(offset) * MILLIS,
    VALUES.map((_, index) => bytes.readFloatLE(offset + FLOAT_BYTES * (index + 1)))
  )

const OWNER_ONLY = 0o600
const CREATE = constants.O_RDWR | constants.O_CREAT

const within = <A>(path: string, flags: number, use: (file: number) => A): A => {
  const file = openSync(path, flags, OWNER_ONLY)
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

const offsetOf = (ring: Ring, at: number): number => OFFSETS.get(ring.stepSeconds)! + slotOf(ring, at) * SAMPLE_BYTES

const put = (path: string, ring: Ring, sample: Sample): void =>
  void within(path, CREATE, (file) => writeSync(file, encode(sample), 0, SAMPLE_BYTES, offsetOf(ring, sample.at)))

/** All samples of a ring, in the order of their slots; a slot that was never written is zero. */
const ringOf = (path: string, ring: Ring): ReadonlyArray<Sample> => {
  const bytes = Buffer.alloc(ring.slots * SAMPLE_BYTES)
  try {
    within(path, constants.O_RDONLY, (file) => readSync(file, bytes, 0, bytes.length, OFFSETS.get(ring.stepSeconds)!))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
  return Array.from({ length: ring.slots }, (_, slot) => decode(bytes, slot * SAMPLE_BYTES))
}

/** The samples of a few consecutive steps that end at a time, without reading the whole ring. */
const latest = (path: string, ring: Ring, at: number, count: number): ReadonlyArray<Sample> => {
  const step = ring.stepSeconds * MILLIS
  const bytes = Buffer.alloc(SAMPLE_BYTES)
  const found: Array<Sample> = []
  within(path, CREATE, (file) => {
    for (let end = at - (count - 1) * step; end <= at; end += step) {
      if (readSync(file, bytes, 0, SAMPLE_BYTES, offsetOf(ring, end)) < SAMPLE_BYTES) continue
      const sample = decode(bytes, 0)
      if (sample.at === end) found.push(sample)
    }
  })
  return found
}

/** Machines that are written between two other tasks of the process: about a millisecond of work. */
const AT_ONCE = 32

const inParts = <A>(items: ReadonlyArray<A>, work: (item: A) => void): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let start = 0; start < items.length; start += AT_ONCE) {
      for (const item of items.slice(start, start + AT_ONCE)) work(item)
      yield* Effect.yieldNow
    }
  })

const FINEST = RINGS.find(({ stepSeconds }) => stepSeconds === FINEST_STEP_SECONDS)!

const make = (folder: string): MetricsStore["Service"] => {
  const pathOf = (tag: string) => join(folder, tag)
  return {
    write: (samples) => inParts(samples, ({ sample, tag }: TaggedSample) => put(pathOf(tag), FINEST, sample)),
    rollUp: (from, to, at, tags) =>
      inParts(tags, (tag) => {
        const samples = latest(pathOf(tag), from, at, to.stepSeconds / from.stepSeconds)
        if (samples.length > 0) put(pathOf(tag), to, meanOf(at, samples))
      }),
    read: (tag, { from, stepSeconds, to }) =>
      Effect.sync(() => {
        const ring = RINGS.find((each) => each.stepSeconds === stepSeconds)
        if (ring === undefined) return []
        return ringOf(pathOf(tag), ring).filter(({ at }) => at > from && at <= to).toSorted((a, b) => a.at - b.at)
      }),
    remove: (tag) => Effect.sync(() => rmSync(pathOf(tag), { force: true }))
  }
}

/** In the folder of a database file; that of a database in memory is deleted with the scope. */
export const layer = (database: string | undefined): Layer.Layer<MetricsStore> =>
  Layer.effect(
    MetricsStore,
    Effect.gen(function*() {
      const folder = database === undefined ? mkdtempSync(join(tmpdir(), "vps-metrics-")) : `${database}-metrics`
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (database === undefined) {
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
      }
      return make(folder)
    })
  )
