import { describe, expect, it } from "vitest"
import type { Properties } from "#provider/definition/Properties"
import { type Stored, up } from "../Runs.ts"
import { World } from "../World.ts"

const program = { serviceId: 1, hostname: "web.example.com", reinstallTriggers: ["a"] }

interface Ending {
  readonly change: Properties
  readonly outputs: Properties
  /** Of tasks by type; those not named are not begun at all. */
  readonly tasks: Readonly<Record<string, number>>
  /** Of 5.00, which pays for one resize and no other. */
  readonly wallet?: number
}

const heavy = { serviceId: 2, os: "debian-13", reinstallTriggers: ["b"], allowDataLoss: true, snapshotBefore: "safe" }

const CHANGES: Record<string, Ending> = {
  "a resize": {
    change: { serviceId: 2 },
    outputs: { serviceId: 2, status: "running" },
    tasks: { stop: 1, resize: 1, start: 1 },
    wallet: 0
  },
  "a reinstall by triggers": {
    change: { reinstallTriggers: ["b"], allowDataLoss: true },
    outputs: { reinstallTriggers: ["b"], status: "running" },
    tasks: { reinstall: 1 }
  },
  "power off": { change: { powerState: "off" }, outputs: { powerState: "off", status: "stopped" }, tasks: { stop: 1 } },
  "rescue mode": {
    change: { bootMode: "rescue" },
    outputs: { bootMode: "rescue", status: "rescue" },
    tasks: { rescue_enter: 1 }
  },
  "an ISO": { change: { isoId: 2 }, outputs: { isoId: 2 }, tasks: { iso_mount: 1 } },
  "a host name": { change: { hostname: "www.example.com" }, outputs: { hostname: "www.example.com" }, tasks: {} },
  "a password": { change: { passwordRotation: "1" }, outputs: { passwordRotation: "1" }, tasks: { reset_password: 1 } },
  "everything at once": {
    change: { ...heavy, hostname: "www.example.com", isoId: 1, passwordRotation: "1" },
    outputs: { serviceId: 2, os: "debian-13", hostname: "www.example.com", isoId: 1, status: "running" },
    tasks: { snapshot_create: 1, stop: 1, resize: 1, reinstall: 1, iso_mount: 1, reset_password: 1 },
    wallet: 0
  },
  "everything, and off": {
    change: { ...heavy, powerState: "off" },
    outputs: { serviceId: 2, os: "debian-13", status: "stopped" },
    tasks: { snapshot_create: 1, stop: 2, resize: 1, reinstall: 1 },
    wallet: 0
  }
}

/** A reboot more than needed is what a cut between setting the boot mode and rebooting can cost. */
const SPARE: Readonly<Record<string, number>> = { restart: 1 }

const tasksOf = (world: World): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status, type } of world.machine(1).feed) {
    expect(status).toBe("succeeded")
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

/** The same update by a process that is killed in place of its n-th request, and then by one that is not. */
const played = async (change: Properties, at: number): Promise<{ world: World; last: Stored; killed: boolean }> => {
  const world = new World()
  const first = await up(world.session(), program)
  world.wallet = 5
  world.killAt(at)
  // Nobody stores what a killed process would have answered.
  const lost = await up(world.session(), { ...program, ...change }, first).catch(() => undefined)
  const killed = world.revive()
  const last = killed ? await up(world.session(), { ...program, ...change }, first) : lost!
  return { world, last, killed }
}

const MAX_REQUESTS = 200

describe("an update that is killed before any of its requests, and run again", () => {
  it.each(Object.entries(CHANGES))("%s", async (_, { change, outputs, tasks, wallet = 5 }) => {
    for (let at = 1, killed = true; killed; at++) {
      expect(at).toBeLessThan(MAX_REQUESTS)
      const end = await played(change, at)
      killed = end.killed
      expect(end.last, `killed at request ${at}`).toMatchObject({ id: "1", reasons: [], outputs })
      const { restart = 0, ...counts } = tasksOf(end.world)
      expect({ at, ...counts }).toEqual({ at, ...tasks })
      expect(restart).toBeLessThanOrEqual(killed ? SPARE["restart"]! : 0)
      expect(end.world.wallet).toBeCloseTo(wallet)
      const calls = end.world.calls.length
      expect(await up(end.world.session(), { ...program, ...change }, end.last)).toEqual(end.last)
      expect(end.world.calls).toHaveLength(calls)
    }
  })
})
