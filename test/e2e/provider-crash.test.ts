/** The crash matrix: whatever is killed whenever, the next run ends where an undisturbed one would have ended. */
import { afterAll, describe, expect, it } from "vitest"
import { isWhole, KILLS, playCrashes } from "../support/engine/crash.ts"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { CRASHES } from "../support/engine/scenarios/crashes.ts"
import { TestEngine } from "../support/engine/TestEngine.ts"
import { Theatre } from "../support/engine/Theatre.ts"

/** ms; a row is up to two hundred runs of an engine, and it may have to wait until others have ended. */
const ROW_TIMEOUT = 1_800_000

describe("killed at every request, on the test engine", () => {
  const engine = new TestEngine()
  const theatre = new Theatre(engine.make)
  afterAll(async () => {
    engine.close()
    await theatre.close()
  })

  it.concurrent.for(Object.entries(CRASHES))("%s", { timeout: ROW_TIMEOUT }, async ([, row], context) => {
    // Snapshots and restores have scenarios of their own that kill where it matters most.
    context.skip(!isWhole && (row.beside ?? row.besideBefore) !== undefined, "VPS_TEST_WHOLE=1 plays it")
    const count = await theatre.play((stage) => playCrashes(stage, row, KILLS))
    expect(count).toBeGreaterThan(0)
    await context.annotate(`killed ${count} times`)
  })
})

/** What only the real engine can show, its lock, its pending operations, its language host, shows in one row. */
const ON_THE_CLI = new Set(["create"])

describe.skipIf(!hasPulumi)("killed at every request, on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const theatre = new Theatre(pulumiCli)
  afterAll(() => theatre.close())

  it.concurrent.for(Object.entries(CRASHES))("%s", { timeout: ROW_TIMEOUT }, async ([name, row], context) => {
    context.skip(!isWhole && !ON_THE_CLI.has(name), "VPS_TEST_WHOLE=1 plays it")
    // Each single kill is the test engine's: a run of this one takes seconds.
    const count = await theatre.play((stage) => playCrashes(stage, row, "telling"))
    expect(count).toBeGreaterThan(0)
    await context.annotate(`killed ${count} times`)
  })
})
