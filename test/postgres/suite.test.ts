/** The persistence suite on PostgreSQL: the same rules as on SQLite, in `test/persistence/suite.test.ts`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Storage from "#service/Storage"
import { persistenceSuite } from "../persistence/suite/persistence.ts"
import { describePostgres, freshDatabase } from "../support/postgresProject.ts"

describePostgres(
  "PostgreSQL",
  () => persistenceSuite(Layer.unwrap(Effect.map(Effect.promise(freshDatabase), (url) => Storage.layer(url))))
)
