/** Kills of the service, the daemon and QEMU, and absences of the daemon, at every step of every operation. */
import { expect, it } from "vitest"
import { Kills, VICTIMS } from "./Kills.ts"
import { describeKills } from "./killsSuite.ts"

const HOUR = 3_600_000

describeKills(HOUR, (kills) => {
  it.each(Kills.OPERATIONS)("%s, killed at each step", { timeout: HOUR }, async (operation) => {
    const steps = await kills().run(operation)
    expect(steps).not.toStrictEqual([])
    for (const [before, name] of steps.entries()) {
      // A poll repeats the call that the one before it made.
      if (name === steps[before - 1]) continue
      for (const victim of VICTIMS) {
        try {
          // The number of calls depends on timing, so a step that was not reached is tried a second time.
          const reaches = async () => (await kills().run(operation, before + 1, victim)).length > before
          expect(await reaches() || await reaches(), "the step was reached").toBe(true)
        } catch (error) {
          throw new Error(`${operation}, step ${before + 1} of ${steps.join()}, ${victim}`, { cause: error })
        }
      }
    }
  })
})
