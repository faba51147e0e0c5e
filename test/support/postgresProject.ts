/** The server of the vitest project `postgres`, and databases on it. */
import { inject } from "vitest"
import { makeDatabase } from "./postgres.ts"

const url = inject("postgresUrl")

/** True if no PostgreSQL can be started here: for `describe.skipIf`, which names what it skips. */
export const noPostgres = url === undefined

/** An empty database on the project's server; returns its URL. */
export const freshDatabase = (): Promise<string> => makeDatabase(url!)
