/**
 * The persistence suite on SQLite in a file. `test/postgres/suite.test.ts` runs it on PostgreSQL. All tests of use
 * cases run on SQLite in memory.
 */
import { describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as Storage from "#service/persistence/Storage"
import { temporaryFolder } from "../support/temporary.ts"
import { persistenceSuite } from "./suite/persistence.ts"
import { limitsLayer } from "../support/limits.ts"

describe("SQLite in a file", () => {
  const inFile = Effect.map(
    temporaryFolder,
    (folder) => Layer.provide(Storage.layer(join(folder, "suite.db")), limitsLayer())
  )
  persistenceSuite(Layer.unwrap(inFile))
})
