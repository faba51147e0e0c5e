/** The set-up that the tests of kills share. */
import { afterAll, beforeAll, describe } from "vitest"
import { noHosts, reason } from "./Host.ts"
import { Kills } from "./Kills.ts"

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
