/** The stores of samples: the same rules in files and on PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Sample } from "#service/domain/Metrics"
import { MetricsStore, RINGS } from "#service/persistence/metrics/MetricsStore"

/** A multiple of every step: 2026-06-15T12:00:00Z. */
const NOON = Date.UTC(2026, 5, 15, 12)
const TAG = "instance-7"

const sampleAt = (at: number, factor = 1): Sample => ({
  at,
  cpuPercent: 12.25 * factor,
  memoryBytes: 4_096 * factor,
  memoryTotalBytes: 2 ** 34,
  diskReadBytesPerSecond: 1_000 * factor,
  diskWriteBytesPerSecond: 2_000 * factor,
  networkRxBytesPerSecond: 3_000 * factor,
  networkTxBytesPerSecond: 4_000 * factor
})

const write = (sample: Sample, tag = TAG) => Effect.flatMap(MetricsStore, (store) => store.write([{ tag, sample }]))
const read = (from: number, to: number, stepSeconds = 10, tag = TAG) =>
  Effect.flatMap(MetricsStore, (store) => store.read(tag, { stepSeconds, from, to }))
const [FINEST, MINUTE] = RINGS as [typeof RINGS[number], typeof RINGS[number]]

export const metricsStoreSuite = (layer: () => Layer.Layer<MetricsStore, unknown>): void => {
  describe("the samples of a machine", () => {
    it.live("are read as they were written, oldest first, within a window", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* read(0, NOON), [])
        const samples = [1, 2, 3, 4].map((factor) => sampleAt(NOON + 10_000 * factor, factor))
        for (const sample of samples.toReversed()) yield* write(sample)
        yield* write(sampleAt(NOON + 20_000), "instance-70")
        assert.deepStrictEqual(yield* read(0, NOON + 60_000), samples)
        assert.deepStrictEqual(yield* read(NOON + 10_000, NOON + 30_000), samples.slice(1, 3))
        assert.deepStrictEqual(yield* read(0, NOON + 60_000, 60), [])
        assert.deepStrictEqual(yield* read(0, NOON + 60_000, 7), [])
      }).pipe(Effect.provide(layer())))

    it.live("replace those of a range before, so that their number is bounded", () =>
      Effect.gen(function*() {
        const hour = 3_600_000
        for (const at of [NOON, NOON + 10_000, NOON + hour]) yield* write(sampleAt(at))
        yield* write(sampleAt(NOON + hour, 2))
        const expected = [sampleAt(NOON + 10_000), sampleAt(NOON + hour, 2)]
        assert.deepStrictEqual(yield* read(0, NOON + 2 * hour), expected)
      }).pipe(Effect.provide(layer())))

    it.live("are rolled up to their mean, with those that there are, as often as it is repeated", () =>
      Effect.gen(function*() {
        const { rollUp } = yield* MetricsStore
        for (const factor of [1, 2, 6]) yield* write(sampleAt(NOON + 10_000 * factor, factor))
        yield* write(sampleAt(NOON + 70_000, 9))
        const minute = NOON + 60_000
        yield* rollUp(FINEST, MINUTE, minute, [TAG, "instance-8"])
        yield* rollUp(FINEST, MINUTE, minute, [TAG, "instance-8"])
        assert.deepStrictEqual(yield* read(0, minute, 60), [{ ...sampleAt(minute, 3), cpuPercent: 36.75 }])
        assert.deepStrictEqual(yield* read(0, minute, 60, "instance-8"), [])
      }).pipe(Effect.provide(layer())))

    it.live("are deleted with it", () =>
      Effect.gen(function*() {
        const { remove, rollUp } = yield* MetricsStore
        yield* write(sampleAt(NOON))
        yield* write(sampleAt(NOON), "instance-70")
        yield* rollUp(FINEST, MINUTE, NOON, [TAG])
        yield* remove(TAG)
        yield* remove(TAG)
        assert.deepStrictEqual([...yield* read(0, NOON), ...yield* read(0, NOON, 60)], [])
        assert.lengthOf(yield* read(0, NOON, 10, "instance-70"), 1)
      }).pipe(Effect.provide(layer())))
  })
}
