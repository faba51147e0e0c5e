import { describe, expect, it } from "vitest"
import { DeadlineError } from "#provider/api/Errors"
import { InstanceWatcher } from "#provider/waiting/InstanceWatcher"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"

const deployed = (instance: { status: string }): boolean => instance.status === "running"
const wait = (watcher: InstanceWatcher, id: number, timeout = 600_000) =>
  watcher.wait({ id, name: `server-${id}`, until: deployed, timeout })

const buyMany = async (env: Environment, count: number): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for (let at = 0; at < count; at++) ids.push((await env.buy({ service_id: 1 })).id)
  return ids
}

describe("waiting", () => {
  it("for many instances sends one list request, not one request each", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(10_000)
    // Fewer than the 256 that the service deploys at a time: all are ready at once, after a minute.
    const ids = await buyMany(env, 250)
    const watcher = new InstanceWatcher(env.api, env.host)
    const seen = await Promise.all(ids.map((id) => wait(watcher, id)))
    expect(new Set(seen.map(({ id }) => id)).size).toBe(250)
    // After 0.025, 0.125, 1.1, 2.6, 4.9, 8.3, 13, 21, 31, 41, 51 and 61 s.
    expect([env.count("get"), env.count("list")]).toEqual([0, 12])
  })
  it("looks at few that were just begun one by one: a list of the whole account costs more", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(10_000)
    const others = await buyMany(env, 100)
    await env.advance(DEPLOY_TIME)
    const watcher = new InstanceWatcher(env.api, env.host)
    await Promise.all(others.slice(0, 8).map((id) => wait(watcher, id)))
    expect([env.count("get"), env.count("list")]).toEqual([8, 0])
    await Promise.all(others.slice(0, 9).map((id) => wait(watcher, id)))
    expect([env.count("get"), env.count("list")]).toEqual([8, 1])
  })
  it("polls at intervals that grow from 1 s to 10 s, after two early polls", async () => {
    const env = await Environment.make()
    const at: Array<number> = []
    const { id } = await env.buy({ service_id: 1 })
    const started = env.now
    const watcher = new InstanceWatcher(
      { ...env.api, get: (one) => (at.push(env.now - started), env.api.get(one)) },
      env.host
    )
    await wait(watcher, id)
    const gaps = at.slice(1).map((time, index) => time - at[index]!)
    expect(at[0]).toBeLessThanOrEqual(50)
    expect(gaps[0]).toBeLessThanOrEqual(200)
    expect(gaps[1]).toBeGreaterThanOrEqual(1_000)
    expect(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!)).toBe(true)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_100)
  })
  it("gives up at the deadline, and the others continue", async () => {
    const env = await Environment.make()
    const watcher = new InstanceWatcher(env.api, env.host)
    const [slow, patient] = await buyMany(env, 2) as [number, number]
    const late = wait(watcher, slow, 5_000)
    const onTime = wait(watcher, patient)
    await expect(late).rejects.toThrow(DeadlineError)
    expect((await onTime).id).toBe(patient)
  })
  it("sends no request for the time of Retry-After", async () => {
    const env = await Environment.make()
    const { id } = await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    env.faults.fail("get", apiError(429, "slow down", { retryAfter: 30 }))
    const started = env.now
    await wait(new InstanceWatcher(env.api, env.host), id)
    expect(env.now - started).toBeGreaterThanOrEqual(30_000)
  })
  it("ends all waits when the key is refused: no later look would help", async () => {
    const env = await Environment.make()
    const ids = await buyMany(env, 2)
    const watcher = new InstanceWatcher(env.api, env.host)
    env.faults.fail("list", apiError(401, "revoked"))
    const ended = await Promise.allSettled(ids.map((id) => wait(watcher, id)))
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  })
  it("says what it is at every 15 s", async () => {
    const env = await Environment.make()
    await wait(new InstanceWatcher(env.api, env.host), (await env.buy({ service_id: 1 })).id)
    expect(env.lines.length).toBeGreaterThanOrEqual(2)
    expect(env.lines.length).toBeLessThanOrEqual(DEPLOY_TIME / 15_000)
    expect(env.lines[0]).toBe("progress server-1: instance 1 is provisioning")
  })
})
