/** The crash matrix with the plugin: whatever is killed whenever, the next run ends where an undisturbed one would. */
import { afterAll, describe, expect, it } from "vitest"
import { isWhole, KILLS, playCrashes } from "../support/engine/crash.ts"
import { onPlugin } from "../support/engine/OnPlugin.ts"
import { hasPulumi, pulumiCli } from "../support/engine/PulumiCli.ts"
import { CRASHES } from "../support/engine/scenarios/crashes.ts"
import { TestEngine } from "../support/engine/TestEngine.ts"
import { Theatre } from "../support/engine/Theatre.ts"

/** ms; a row is up to two hundred runs of an engine, and it may have to wait until others have ended. */
const ROW_TIMEOUT = 1_800_000

/**
 * The lifecycles are those of the dynamic provider, whose rows for servers are always played; here it is the host that
 * can go wrong, in a create, an update of many steps, and a delete.
 */
const CHOSEN = new Set(["create", "adopt a server", "everything at once", "destroy with stop"])

describe("the plugin killed at every request, on the test engine", () => {
  const engine = new TestEngine()
  const theatre = new Theatre(onPlugin(engine.make))
  afterAll(async () => {
    engine.close()
    await theatre.close()
  })

  it.concurrent.for(Object.entries(CRASHES))("%s", { timeout: ROW_TIMEOUT }, async ([name, row], context) => {
    context.skip(!isWhole && !CHOSEN.has(name), "VPS_TEST_WHOLE=1 plays it")
    const count = await theatre.play((stage) => playCrashes(stage, row, KILLS))
    expect(count).toBeGreaterThan(0)
    await context.annotate(`killed ${count} times`)
  })
})

describe.skipIf(!hasPulumi)("the plugin killed at every request, on the real pulumi CLI (skipped without it)", () => {
  const theatre = new Theatre(onPlugin(pulumiCli))
  afterAll(() => theatre.close())

  it.concurrent.for(Object.entries(CRASHES))("%s", { timeout: ROW_TIMEOUT }, async ([, row], context) => {
    context.skip(!isWhole, "VPS_TEST_WHOLE=1 plays it")
    const count = await theatre.play((stage) => playCrashes(stage, row, "telling"))
    expect(count).toBeGreaterThan(0)
    await context.annotate(`killed ${count} times`)
  })
})
