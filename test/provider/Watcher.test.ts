import { describe, expect, it } from "vitest"
import { WaitTimeoutError } from "#provider/api/Errors"
import { InstanceWatcher } from "#provider/waiting/InstanceWatcher"
import { apiError } from "./Machine.ts"
import { DEPLOY_TIME, World } from "./World.ts"

const deployed = (instance: { status: string }): boolean => instance.status === "running"
const wait = (watcher: InstanceWatcher, id: number, timeout = 600_000) =>
  watcher.wait({ id, name: `server-${id}`, until: deployed, timeout })

describe("waiting", () => {
  it("for many instances asks with one list call, not one call each", async () => {
    const world = new World()
    world.wallet = 10_000
    const ids = Array.from({ length: 300 }, () => world.buy({ service_id: 1 }).id)
    const watcher = new InstanceWatcher(world.api, world.host)
    const seen = await Promise.all(ids.map((id) => wait(watcher, id)))
    expect(new Set(seen.map(({ id }) => id)).size).toBe(300)
    expect(world.count("get")).toBe(0)
    expect(world.count("list")).toBeLessThan(15)
  })
  it("looks at few that were just begun one by one: a list of the whole account costs more", async () => {
    const world = new World()
    world.wallet = 10_000
    const others = Array.from({ length: 100 }, () => world.buy({ service_id: 1 }).id)
    world.now += DEPLOY_TIME
    const watcher = new InstanceWatcher(world.api, world.host)
    await Promise.all(others.slice(0, 8).map((id) => wait(watcher, id)))
    expect([world.count("get"), world.count("list")]).toEqual([8, 0])
    await Promise.all(others.slice(0, 9).map((id) => wait(watcher, id)))
    expect([world.count("get"), world.count("list")]).toEqual([8, 1])
  })
  it("grows from 1 s to 10 s between looks, after two early looks", async () => {
    const world = new World()
    const at: Array<number> = []
    const { id } = world.buy({ service_id: 1 })
    const started = world.now
    const watcher = new InstanceWatcher(
      { ...world.api, get: (one) => (at.push(world.now - started), world.api.get(one)) },
      world.host
    )
    await wait(watcher, id)
    const gaps = at.slice(1).map((time, index) => time - at[index]!)
    expect(at[0]).toBeLessThanOrEqual(50)
    expect(gaps[0]).toBeLessThanOrEqual(200)
    expect(gaps[1]).toBeGreaterThanOrEqual(1_000)
    expect(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!)).toBe(true)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_100)
  })
  it("gives up at the deadline, and the others go on", async () => {
    const world = new World()
    const watcher = new InstanceWatcher(world.api, world.host)
    const [slow, patient] = [world.buy({ service_id: 1 }).id, world.buy({ service_id: 1 }).id]
    const late = wait(watcher, slow, 5_000)
    const onTime = wait(watcher, patient)
    await expect(late).rejects.toThrow(WaitTimeoutError)
    expect((await onTime).id).toBe(patient)
  })
  it("leaves the service alone for as long as it asks", async () => {
    const world = new World()
    const { id } = world.buy({ service_id: 1 })
    world.now += DEPLOY_TIME
    world.fail("get", apiError(429, "slow down", { retryAfter: 30 }))
    const started = world.now
    await wait(new InstanceWatcher(world.api, world.host), id)
    expect(world.now - started).toBeGreaterThanOrEqual(30_000)
  })
  it("ends all waits when the key is refused: no later look would help", async () => {
    const world = new World()
    const ids = [world.buy({ service_id: 1 }).id, world.buy({ service_id: 1 }).id]
    const watcher = new InstanceWatcher(world.api, world.host)
    world.fail("list", apiError(401, "revoked"))
    const ended = await Promise.allSettled(ids.map((id) => wait(watcher, id)))
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  })
  it("says what it is at every 15 s", async () => {
    const world = new World()
    await wait(new InstanceWatcher(world.api, world.host), world.buy({ service_id: 1 }).id)
    expect(world.lines.length).toBeGreaterThanOrEqual(2)
    expect(world.lines.length).toBeLessThanOrEqual(DEPLOY_TIME / 15_000)
    expect(world.lines[0]).toBe("progress server-1: instance 1 is provisioning")
  })
})
