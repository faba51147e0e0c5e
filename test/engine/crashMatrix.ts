/** The rows of the crash matrix as tests, the same for each engine and host. */
import { expect, it } from "vitest"
import { isWhole, type Kills, playCrashes } from "./crash.ts"
import { CRASHES, type CrashRow } from "./scenarios/crashes.ts"
import type { ScenarioRunner } from "./ScenarioRunner.ts"

/** ms; a row is up to two hundred runs of an engine, and it may have to wait until others have ended. */
const ROW_TIMEOUT = 1_800_000

/** Rows that are not `chosen` are played by `VPS_TEST_WHOLE=1` only, and skipped by name else. */
export const testCrashes = (
  runner: ScenarioRunner,
  kills: Kills,
  chosen: (name: string, row: CrashRow) => boolean
): void => {
  it.concurrent.for(Object.entries(CRASHES))("%s", { timeout: ROW_TIMEOUT }, async ([name, row], context) => {
    context.skip(!isWhole && !chosen(name, row), "VPS_TEST_WHOLE=1 plays it")
    const count = await runner.play((env) => playCrashes(env, row, kills))
    expect(count).toBeGreaterThan(0)
    await context.annotate(`killed ${count} times`)
  })
}
