/** The persistence suite on PostgreSQL: the same rules as on SQLite, in `test/persistence/suite.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "#service/persistence/Accounts"
import * as MetricsTable from "#service/persistence/metrics/MetricsTable"
import { Wipe } from "#service/persistence/SavedStates"
import * as Storage from "#service/persistence/Storage"
import { account } from "../persistence/suite/Fixtures.ts"
import { persistenceSuite } from "../persistence/suite/persistence.ts"
import { metricsStoreSuite } from "../persistence/suite/metricsStore.ts"
import { write } from "../persistence/suite/Rules.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { limitsLayer } from "../support/limits.ts"

describe.skipIf(noPostgres)("PostgreSQL", () => {
  persistenceSuite(
    Layer.unwrap(Effect.map(Effect.promise(freshDatabase), (url) => Layer.provide(Storage.layer(url), limitsLayer())))
  )

  metricsStoreSuite(() =>
    Layer.unwrap(
      Effect.map(Effect.promise(freshDatabase), (url) =>
        MetricsTable.layer.pipe(Layer.provide(Storage.layer(url)), Layer.provide(limitsLayer()), Layer.fresh))
    )
  )

  it.live("a database that was wiped is still at its version, and opens again", () =>
    Effect.gen(function*() {
      const opened = Layer.provide(Storage.layer(yield* Effect.promise(freshDatabase)), limitsLayer())
      const wipe = Effect.flatMap(Wipe, ({ everything }) => everything)
      yield* Effect.provide(Effect.andThen(account(), write(wipe)), Layer.fresh(opened))
      const wallets = Effect.flatMap(Accounts, (accounts) => accounts.wallets)
      assert.deepStrictEqual(yield* Effect.provide(wallets, Layer.fresh(opened)), [])
    }))
})
