/** The service that the models are held against: one in this process, or others that run already. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import { startApp } from "../support/app.ts"
import type { Service } from "../support/wallet.ts"

/**
 * Origins of emulators over one database, with commas between: `VPS_TEST_ORIGINS=http://127.0.0.1:8001,...`. Without
 * them, one is started here, on a database in memory.
 */
const GIVEN = process.env["VPS_TEST_ORIGINS"]

/** Call it in a suite: the service is started before its tests run. */
export const useService = (): () => Service => {
  let service: Service | undefined
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    if (GIVEN !== undefined) service = { origins: GIVEN.split(",") }
    else service = { origins: [(await Effect.runPromise(Scope.provide(startApp(), scope))).origin] }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => service!
}
