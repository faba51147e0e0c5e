import { assert, describe, it } from "vitest"
import type { Properties } from "#provider/definition/Properties"
import { refresh, type Stored, up } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com", reinstallTriggers: ["a"] }

interface Ending {
  readonly change: Properties
  readonly outputs: Properties
  /** Of tasks by type; those not named are not begun at all. */
  readonly tasks: Readonly<Record<string, number>>
  /** Of 5.00, which pays for one resize and no other. */
  readonly wallet?: number
  /** ms between the kill and the next run; without it, what the killed run began is still in progress. */
  readonly pause?: number
}

const heavy = { serviceId: 2, os: "debian-13", reinstallTriggers: ["b"], allowDataLoss: true, snapshotBefore: "safe" }

const OFF: Ending = {
  change: { ...heavy, powerState: "off" },
  outputs: { serviceId: 2, os: "debian-13", status: "stopped" },
  tasks: { snapshot_create: 1, stop: 2, resize: 1, reinstall: 1 },
  wallet: 0
}

const CHANGES: Record<string, Ending> = {
  "rescue mode": {
    change: { bootMode: "rescue" },
    outputs: { bootMode: "rescue", status: "rescue" },
    tasks: { rescue_enter: 1 }
  },
  "a resize": {
    change: { serviceId: 2 },
    outputs: { serviceId: 2, status: "running" },
    tasks: { stop: 1, resize: 1, start: 1 },
    wallet: 0
  },
  "another system": {
    change: { os: "debian-13", allowDataLoss: true, rootPassword: "other-password" },
    outputs: { os: "debian-13", status: "running", rootPassword: "other-password" },
    tasks: { reinstall: 1 }
  },
  "a password": { change: { passwordRotation: "1" }, outputs: { passwordRotation: "1" }, tasks: { reset_password: 1 } },
  "everything at once": {
    change: { ...heavy, hostname: "www.example.com", isoId: 1, passwordRotation: "1" },
    outputs: { serviceId: 2, os: "debian-13", hostname: "www.example.com", isoId: 1, status: "running" },
    tasks: { snapshot_create: 1, stop: 1, resize: 1, reinstall: 1, iso_mount: 1, reset_password: 1, set_hostname: 1 },
    wallet: 0
  },
  "everything, and off": OFF,
  "everything, and off; a minute passes before the next run": { ...OFF, pause: 60_000 }
}

/** A reboot more than needed is what a cut between setting the boot mode and rebooting can cost. */
const SPARE: Readonly<Record<string, number>> = { restart: 1 }

const tasksOf = async (env: Environment): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status, type } of await env.tasks()) {
    if (type === "provision") continue
    assert.strictEqual(status, "succeeded")
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

interface Interruption {
  /** The request in place of which the process is killed. */
  readonly at: number
  readonly pause?: number
  /** `pulumi refresh` runs between the kill and the next `up`. */
  readonly refreshed?: boolean
}

/** The same update by a process that is killed in place of its n-th request, and then by one that is not. */
const play = async (env: Environment, first: Stored, change: Properties, interruption: Interruption) => {
  const { at, pause = 0, refreshed = false } = interruption
  env.faults.killAt(at)
  // A killed process returns nothing that could be stored.
  const lost = await up(env.session(), { ...program, ...change }, first).catch(() => undefined)
  const killed = env.faults.revive()
  if (pause > 0) await env.advance(pause)
  const found = killed && refreshed ? await refresh(env.session(), first) : first
  const last = killed ? await up(env.session(), { ...program, ...change }, found) : lost!
  return { last, killed }
}

const REFRESHED = "with a refresh in between"
const ROWS = Object.entries(CHANGES).flatMap(([name, ending]) =>
  ["at once", REFRESHED].map((how) => [name, how, ending] as const)
)

const MAX_REQUESTS = 100
/** ms; some thirty kills, each followed by two runs. */
const TIMEOUT = 180_000

describe("an update that is killed before any of its requests, and run again", () => {
  it.each(ROWS)("%s, %s", async (_, how, { change, outputs, pause, tasks, wallet = 5 }) => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    await env.emulator.wallet.set(5)
    const restore = await env.save()
    for (let at = 1, killed = true; killed; at++) {
      assert.isBelow(at, MAX_REQUESTS)
      await restore()
      const end = await play(env, first, change, {
        at,
        refreshed: how === REFRESHED,
        ...(pause !== undefined && { pause })
      })
      killed = end.killed
      const { last } = end
      assertLike(last, { id: "1", reasons: [], outputs }, `killed at request ${at}`)
      const { restart = 0, ...counts } = await tasksOf(env)
      assert.deepStrictEqual({ at, ...counts }, { at, ...tasks })
      assert.isAtMost(restart, killed ? SPARE["restart"]! : 0)
      assert.closeTo(await env.wallet(), wallet, 0.005)
      const calls = env.calls.length
      assert.deepStrictEqual(await up(env.session(), { ...program, ...change }, last), last)
      assert.lengthOf(env.calls, calls)
    }
  }, TIMEOUT)
  it("of its power cycle, and refreshed: the next run powers it on, also with another program", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const restore = await env.save()
    await restore()
    await up(env.session(), { ...program, serviceId: 2 }, first)
    const stopped = env.calls.indexOf("stop 1") + 1
    await restore()
    env.faults.killAt(stopped + 1)
    await up(env.session(), { ...program, serviceId: 2 }, first).catch(() => undefined)
    assert.isTrue(env.faults.revive())
    const found = await refresh(env.session(), first)
    assert.isTrue(env.said("warning web: an update of instance 1 was interrupted. The next `pulumi up` completes it"))
    const last = await up(env.session(), program, found)
    assertLike(last, { reasons: [], outputs: { status: "running" } })
    assert.isTrue(env.said("info web: steps for instance 1: power on"))
    assert.notProperty(last.outputs, "__interrupted")
  })
  it("while the instance starts, which then fails: the next run powers it on", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const restore = await env.save()
    await restore()
    await up(env.session(), { ...program, serviceId: 2 }, first)
    const started = env.calls.indexOf("start 1") + 1
    await restore()
    await env.emulator.faults.add({ operation: "driver.start", driver: "rejected", latency_ms: 500, count: 1 })
    const { killed, last } = await play(env, first, { serviceId: 2 }, { at: started + 1 })
    assert.isTrue(killed)
    assertLike(last, { reasons: [], outputs: { serviceId: 2, status: "running" } })
    assert.strictEqual(env.count("start"), 2)
  })
})
