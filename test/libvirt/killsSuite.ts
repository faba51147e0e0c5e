/** The set-up that the tests of kills share. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { noHosts, reason } from "./Host.ts"
import { Kills, type OperationName, VICTIMS } from "./Kills.ts"

/** Tests that share one service, host and instance. */
export const describeKills = (timeoutMillis: number, tests: (kills: () => Kills) => void) =>
  describe.skipIf(noHosts !== undefined)(`nothing is done twice or left half-made on libvirt${reason}`, () => {
    let kills: Kills
    beforeAll(async () => {
      kills = new Kills()
      await kills.open()
    }, timeoutMillis)
    afterAll(() => kills.close())
    tests(() => kills)
  })

const HOUR = 3_600_000

/** Every victim at every step of some operations. They are in several files, because each takes minutes. */
export const testAllKills = (operations: ReadonlyArray<OperationName>) =>
  describeKills(HOUR, (kills) => {
    it.each(operations)("%s, killed at each step", { timeout: HOUR }, async (operation) => {
      const steps = await kills().run(operation)
      assert.notDeepEqual(steps, [])
      for (const before of steps.keys()) {
        for (const victim of VICTIMS) {
          try {
            // The number of calls depends on timing, so a step that was not reached is tried a second time.
            const reaches = async () => (await kills().run(operation, before + 1, victim)).length > before
            assert.isTrue(await reaches() || await reaches(), "the step was reached")
          } catch (error) {
            throw new Error(`${operation}, step ${before + 1} of ${steps.join()}, ${victim}`, { cause: error })
          }
        }
      }
    })
  })
