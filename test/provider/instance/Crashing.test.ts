import { describe, expect, it } from "vitest"
import type { Properties } from "#provider/definition/Properties"
import { type Stored, up } from "../Runs.ts"
import { isMutation } from "../Bought.ts"
import { Environment } from "../Environment.ts"

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
  "rescue mode": {
    change: { bootMode: "rescue" },
    outputs: { bootMode: "rescue", status: "rescue" },
    tasks: { rescue_enter: 1 }
  },
  "a password": { change: { passwordRotation: "1" }, outputs: { passwordRotation: "1" }, tasks: { reset_password: 1 } },
  "everything at once": {
    change: { ...heavy, hostname: "www.example.com", isoId: 1, passwordRotation: "1" },
    outputs: { serviceId: 2, os: "debian-13", hostname: "www.example.com", isoId: 1, status: "running" },
    tasks: { snapshot_create: 1, stop: 1, resize: 1, reinstall: 1, iso_mount: 1, reset_password: 1, set_hostname: 1 },
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

const tasksOf = async (env: Environment): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status, type } of await env.tasks()) {
    if (type === "provision") continue
    expect(status).toBe("succeeded")
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

/** The same update by a process that is killed in place of its n-th request, and then by one that is not. */
const play = async (env: Environment, first: Stored, change: Properties, at: number) => {
  env.faults.killAt(at)
  // A killed process returns nothing that could be stored.
  const lost = await up(env.session(), { ...program, ...change }, first).catch(() => undefined)
  const killed = env.faults.revive()
  const last = killed ? await up(env.session(), { ...program, ...change }, first) : lost!
  return { last, killed }
}

/** The requests that change something, and those after them; between them a kill leaves what one of these leaves. */
const killPoints = async (env: Environment, first: Stored, change: Properties): Promise<ReadonlySet<number>> => {
  await up(env.session(), { ...program, ...change }, first)
  return new Set(env.calls.flatMap((call, index) => isMutation(call) ? [index + 1, index + 2] : []))
}

/** ms; some twenty kills, each followed by two runs. */
const TIMEOUT = 180_000

describe("an update that is killed before or after any of its mutations, and run again", () => {
  it.each(Object.entries(CHANGES))("%s", async (_, { change, outputs, tasks, wallet = 5 }) => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    await env.emulator.wallet.set(5)
    const restore = await env.save()
    await restore()
    const points = await killPoints(env, first, change)
    expect(points.size).toBeGreaterThan(1)
    for (const at of points) {
      await restore()
      const { killed, last } = await play(env, first, change, at)
      expect(last, `killed at request ${at}`).toMatchObject({ id: "1", reasons: [], outputs })
      const { restart = 0, ...counts } = await tasksOf(env)
      expect({ at, ...counts }).toEqual({ at, ...tasks })
      expect(restart).toBeLessThanOrEqual(killed ? SPARE["restart"]! : 0)
      expect(await env.wallet()).toBeCloseTo(wallet)
      const calls = env.calls.length
      expect(await up(env.session(), { ...program, ...change }, last)).toEqual(last)
      expect(env.calls).toHaveLength(calls)
    }
  }, TIMEOUT)
})
