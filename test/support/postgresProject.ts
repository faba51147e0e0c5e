/** What tests of the vitest project `postgres` stand on: its server, and databases of their own on it. */
import { describe, inject } from "vitest"
import { makeDatabase } from "./postgres.ts"

/** A suite that is skipped, by name, where no PostgreSQL can be started. */
export const describePostgres = describe.skipIf(inject("postgresUrl") === undefined)

/** An empty database on the project's server; answers its URL. */
export const freshDatabase = (): Promise<string> => makeDatabase(inject("postgresUrl")!)
