/** Kills in the middle of operations on a real machine: a chosen set; `kills*.long.test.ts` have all. */
import { assert, it } from "vitest"
import { describeKills } from "./killsSuite.ts"

const TIMEOUT = 200_000

describeKills(TIMEOUT, (kills) => {
  it.each(
    [
      ["resize", 3, "daemon"],
      ["snapshot_restore", 4, "service before"],
      ["snapshot_create", 2, "qemu"],
      ["reinstall", 4, "service after"],
      ["provision", 4, "daemon frozen"],
      ["resize", 2, "daemon stopped"]
    ] as const
  )("%s, killed at step %i: %s", { timeout: TIMEOUT }, async (operation, step, victim) => {
    assert.isAtLeast((await kills().run(operation, step, victim)).length, step)
  })
})
