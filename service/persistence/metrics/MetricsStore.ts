/**
 * Samples of machines, in a store of fixed size for each machine: a new sample replaces the one that is as old as its
 * range is long. The store can be lost without harm, so it is apart from what must not be.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { RESOLUTIONS, type Sample } from "../../domain/Metrics.ts"

/** The part of the store for one step: a ring of samples. */
export interface Ring {
  readonly stepSeconds: number
  /** The number of samples. */
  readonly slots: number
}

/** From the finest step to the coarsest one; each step is a multiple of the one before. */
export const RINGS: ReadonlyArray<Ring> = Object.values(RESOLUTIONS).map(({ seconds, stepSeconds }) => ({
  stepSeconds,
  slots: seconds / stepSeconds
}))

const MILLIS = 1_000

/** The place of a sample in its ring. */
export const slotOf = ({ slots, stepSeconds }: Ring, at: number): number => at / (stepSeconds * MILLIS) % slots

export interface TaggedSample {
  /** Of the machine. */
  readonly tag: string
  readonly sample: Sample
}

export class MetricsStore extends Context.Service<MetricsStore, {
  /** Stores samples of the finest step. */
  readonly write: (samples: ReadonlyArray<TaggedSample>) => Effect.Effect<void>
  /** Stores the means of a finer ring's samples for the step that ended at a time. */
  readonly rollUp: (
    from: Ring,
    to: Ring,
    at: number,
    tags: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** The samples of a step that ended after `from` and until `to`, oldest first. */
  readonly read: (
    tag: string,
    window: { readonly stepSeconds: number; readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<Sample>>
  /** Deletes all samples of a machine. */
  readonly remove: (tag: string) => Effect.Effect<void>
}>()("@pulumi-vps/service/MetricsStore") {}

/** The measured values of a sample, in the order in which they are stored. */
export const VALUES = [
  "cpuPercent",
  "memoryBytes",
  "memoryTotalBytes",
  "diskReadBytesPerSecond",
  "diskWriteBytesPerSecond",
  "networkRxBytesPerSecond",
  "networkTxBytesPerSecond"
] as const satisfies ReadonlyArray<keyof Sample>

type Value = (typeof VALUES)[number]

/** Whole bytes; percent with two decimals. */
const rounded = (name: Value, value: number): number =>
  name === "cpuPercent" ? Math.round(value * 100) / 100 : Math.round(value)

export const toSample = (at: number, values: ReadonlyArray<number>): Sample =>
  ({ at, ...Object.fromEntries(VALUES.map((name, index) => [name, rounded(name, values[index]!)])) }) as unknown as
    & Sample
    & Record<Value, number>

/** The mean of samples, as the sample of a step that ended at a time. There is at least one. */
export const meanOf = (at: number, samples: ReadonlyArray<Sample>): Sample =>
  toSample(at, VALUES.map((name) => samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length))
