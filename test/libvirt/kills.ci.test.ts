/** Kills in the middle of operations on a real machine: a chosen set; `kills.long.test.ts` has all. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { noHosts, reason } from "./Host.ts"
import { Kills } from "./Kills.ts"

const TIMEOUT = 200_000

describe.skipIf(noHosts !== undefined)(`nothing is done twice or left half-made on libvirt${reason}`, () => {
  let kills: Kills
  beforeAll(async () => {
    kills = new Kills()
    await kills.open()
  }, TIMEOUT)
  afterAll(() => kills.close())

  it.each(
    [
      ["resize", 3, "daemon"],
      ["snapshot_restore", 4, "service before"],
      ["snapshot_create", 2, "qemu"],
      ["reinstall", 4, "service after"],
      ["provision", 4, "daemon frozen"],
      ["resize", 2, "daemon stopped"],
      ["snapshot_create", 2, "daemon frozen"],
      ["snapshot_restore", 2, "daemon stopped"]
    ] as const
  )("%s, killed at step %i: %s", { timeout: TIMEOUT }, async (operation, step, victim) => {
    expect(await kills.run(operation, step, victim)).toBeGreaterThanOrEqual(step)
  })
})
