import { assert, describe, it } from "vitest"
import { DeadlineError } from "#provider/api/Errors"
import { PULUMI } from "#provider/HostWords"
import { InstanceWatcher } from "#provider/waiting/InstanceWatcher"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"

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
    const watcher = new InstanceWatcher(env.api, env.host, PULUMI)
    const seen = await Promise.all(ids.map((id) => wait(watcher, id)))
    assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 250)
    // After 0.025, 0.125, 1.1, 2.6, 4.9, 8.3, 13, 21, 31, 41, 51 and 61 s.
    assert.deepStrictEqual([env.count("get"), env.count("list")], [0, 12])
  })
  it("looks at few that were just begun one by one: a list of the whole account costs more", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(10_000)
    const others = await buyMany(env, 100)
    await env.advance(DEPLOY_TIME)
    const watcher = new InstanceWatcher(env.api, env.host, PULUMI)
    await Promise.all(others.slice(0, 8).map((id) => wait(watcher, id)))
    assert.deepStrictEqual([env.count("get"), env.count("list")], [8, 0])
    await Promise.all(others.slice(0, 9).map((id) => wait(watcher, id)))
    assert.deepStrictEqual([env.count("get"), env.count("list")], [8, 1])
  })
  it("polls at intervals that grow from 1 s to 10 s, after two early polls", async () => {
    const env = await Environment.make()
    const at: Array<number> = []
    const { id } = await env.buy({ service_id: 1 })
    const started = env.now
    const watcher = new InstanceWatcher(
      { ...env.api, get: (one) => (at.push(env.now - started), env.api.get(one)) },
      env.host,
      PULUMI
    )
    await wait(watcher, id)
    const gaps = at.slice(1).map((time, index) => time - at[index]!)
    assert.isAtMost(at[0]!, 50)
    assert.isAtMost(gaps[0]!, 200)
    assert.isAtLeast(gaps[1]!, 1_000)
    assert.isTrue(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!))
    assert.isAtMost(Math.max(...gaps), 10_100)
  })
  it("gives up at the deadline, and the others continue", async () => {
    const env = await Environment.make()
    const watcher = new InstanceWatcher(env.api, env.host, PULUMI)
    const [slow, patient] = await buyMany(env, 2) as [number, number]
    const late = wait(watcher, slow, 5_000)
    const onTime = wait(watcher, patient)
    assert.instanceOf(await rejection(late), DeadlineError)
    assert.strictEqual((await onTime).id, patient)
  })
  it("sends no request for the time of Retry-After", async () => {
    const env = await Environment.make()
    const { id } = await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    env.faults.fail("get", apiError(429, "slow down", { retryAfter: 30 }))
    const started = env.now
    await wait(new InstanceWatcher(env.api, env.host, PULUMI), id)
    assert.isAtLeast(env.now - started, 30_000)
  })
  it("ends all waits when the key is refused: no later look would help", async () => {
    const env = await Environment.make()
    const ids = await buyMany(env, 2)
    const watcher = new InstanceWatcher(env.api, env.host, PULUMI)
    env.faults.fail("list", apiError(401, "revoked"))
    const ended = await Promise.allSettled(ids.map((id) => wait(watcher, id)))
    assert.deepStrictEqual(ended.map(({ status }) => status), ["rejected", "rejected"])
  })
  it("says what it is at every 15 s", async () => {
    const env = await Environment.make()
    await wait(new InstanceWatcher(env.api, env.host, PULUMI), (await env.buy({ service_id: 1 })).id)
    assert.isAtLeast(env.lines.length, 2)
    assert.isAtMost(env.lines.length, DEPLOY_TIME / 15_000)
    assert.strictEqual(env.lines[0], "progress server-1: instance 1 is provisioning")
  })
})
