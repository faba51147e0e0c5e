/** The store of samples in files: its rules, and the size of a file. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { MetricsStore, RINGS } from "#service/persistence/metrics/MetricsStore"
import { idle } from "#service/provisioning/drivers/libvirt/metrics/Sampler"
import { temporaryFolder } from "../support/temporary.ts"
import { metricsStoreSuite } from "./suite/metricsStore.ts"

const SIZE = { cpus: 1, memoryMib: 1, diskGib: 1 }

describe("files of samples", () => {
  metricsStoreSuite(() => Layer.fresh(MetricsFiles.layer(undefined)))

  it.live("have a fixed size, owner only, and survive a restart; a damaged one loses what is damaged", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const opened = Layer.fresh(MetricsFiles.layer(join(folder, "vps.db")))
      const hour = 3_600_000
      const fill = Effect.gen(function*() {
        const { rollUp, write } = yield* MetricsStore
        for (let at = 10_000; at <= 3 * hour; at += 10_000) {
          yield* write([{ tag: "instance-1", sample: idle(at, SIZE) }])
        }
        for (const [index, ring] of RINGS.entries()) {
          const step = ring.stepSeconds * 1_000
          if (index > 0) yield* rollUp(RINGS[index - 1]!, ring, Math.floor(3 * hour / step) * step, ["instance-1"])
        }
      })
      yield* Effect.provide(fill, opened)
      const path = join(folder, "vps.db-metrics", "instance-1")
      const { mode, size } = statSync(path)
      assert.isAtMost(size, MetricsFiles.FILE_BYTES)
      assert.strictEqual(MetricsFiles.FILE_BYTES, 41_472)
      assert.strictEqual(mode & 0o777, 0o600)
      const count = Effect.flatMap(
        MetricsStore,
        ({ read }) => Effect.map(read("instance-1", { stepSeconds: 10, from: 0, to: 3 * hour }), ({ length }) => length)
      )
      assert.strictEqual(yield* Effect.provide(count, opened), 360)
      writeFileSync(path, "x".repeat(100))
      assert.strictEqual(yield* Effect.provide(count, opened), 0)
      assert.deepStrictEqual(readdirSync(join(folder, "vps.db-metrics")), ["instance-1"])
    }).pipe(Effect.scoped))
})
