/** Starts one PostgreSQL server for the whole vitest project `postgres`. Loaded by Vitest itself, outside of tests. */
import type { TestProject } from "vitest/node"
import { isAvailable, startPostgres } from "./postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Undefined where no PostgreSQL can be started. */
    readonly postgresUrl: string | undefined
  }
}

/** Called before the first test of the project; what it answers is called after the last. */
export const setup = async (project: TestProject) => {
  if (!isAvailable()) return undefined
  const server = await startPostgres()
  project.provide("postgresUrl", server.url)
  return server.close
}
