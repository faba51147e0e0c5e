/** Kills of the service, the daemon and QEMU, and absences of the daemon, at every step of every operation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { noHosts, reason } from "./Host.ts"
import { Kills, VICTIMS } from "./Kills.ts"

const HOUR = 3_600_000

describe.skipIf(noHosts !== undefined)(`nothing is done twice or left half-made on libvirt${reason}`, () => {
  let kills: Kills
  beforeAll(async () => {
    kills = new Kills()
    await kills.open()
  }, HOUR)
  afterAll(() => kills.close())

  it.each(Kills.OPERATIONS)("%s, killed at each step", { timeout: HOUR }, async (operation) => {
    const steps = await kills.run(operation)
    expect(steps).toBeGreaterThan(0)
    for (let step = 1; step <= steps; step++) {
      for (const victim of VICTIMS) {
        try {
          await kills.run(operation, step, victim)
        } catch (error) {
          throw new Error(`${operation}, step ${step} of ${steps}, ${victim}`, { cause: error })
        }
      }
    }
  })
})
