import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { snapshotRestoreLifecycle } from "#provider/restore/Restore"
import { reverseDnsLifecycle } from "#provider/reverse-dns/ReverseDns"
import { parentIdentity } from "#provider/session/Identity"
import type { Lifecycle } from "#provider/session/Lifecycle"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { Environment } from "../Environment.ts"
import { engineFor, type Stored, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"

const HERE = "https://one.example.test/api/v1"
const THERE = "https://two.example.test/api/v1"
const web = { serviceId: 1, hostname: "web.example.com", deletionPolicy: "stop" }
const ATTACHED: ReadonlyArray<readonly [string, Lifecycle, Readonly<Record<string, unknown>>, object]> = [
  ["Snapshot", snapshotLifecycle, { instanceId: "1", name: "first" }, { onDelete: "keep" }],
  ["ReverseDns", reverseDnsLifecycle, { instanceId: "1", ip: "198.18.0.1", ptr: "a.example.com" }, {
    ptr: "b.example"
  }],
  ["SnapshotRestore", snapshotRestoreLifecycle, { instanceId: "1", snapshotId: 1, allowDataLoss: true }, {
    triggers: ["b"]
  }]
]

const at = (env: Environment, baseUrl = HERE, apiKey = "key") => env.session({ baseUrl, apiKey })
const urn = (type: string): string => `urn:pulumi:prod::shop::vps:index:${type}::one`
const mutations = (env: Environment): ReadonlyArray<string> =>
  env.calls.filter((call) => !/^(?:get|list|whoami|tasks|status|snapshots|dryRun|availablePlans)/.test(call))

/** Every operation of a resource in the state with another program, each in a process of its own. */
const operations = (lifecycle: Lifecycle, stored: Stored, program: Readonly<Record<string, unknown>>, name: string) => {
  const { check, up } = engineFor(lifecycle, name)
  return (env: Environment, baseUrl: string, apiKey?: string): Record<string, () => Promise<unknown>> => ({
    refresh: () => lifecycle.read(at(env, baseUrl, apiKey), stored.id, stored.outputs),
    preview: async () => {
      const session = at(env, baseUrl, apiKey)
      const news = await check(session, stored.inputs, program)
      return await lifecycle.diff(session, stored.id, stored.outputs, news)
    },
    up: () => up(at(env, baseUrl, apiKey), program, stored),
    destroy: () => lifecycle.delete(at(env, baseUrl, apiKey), stored.id, stored.outputs)
  })
}

/** Instance 1 in the state, with the operations that change it. */
const bought = async () => {
  const env = await Environment.make()
  const stored = await up(at(env), web)
  const changed = { ...web, hostname: "www.example.com", serviceId: 2, powerState: "off" }
  return { env, stored, operations: operations(instanceLifecycle, stored, changed, URN) }
}

const OTHER = { order_id: 99, created_at: "2025-01-01T00:00:00.000Z" }

describe("an instance of the state", () => {
  it.each(["refresh", "preview", "up", "destroy"])("is not taken for another of its number: %s", async (name) => {
    const { env, operations } = await bought()
    env.override(1, OTHER)
    env.calls.length = 0
    assert.match(
      (await rejection(operations(env, THERE)[name]?.())).message,
      /instance 1 at https:\/\/two.* \(order 99\) and is not the one .* \(order 1\)\..*VPS_BASE_URL to https:\/\/one/
    )
    assert.deepStrictEqual(mutations(env), [])
  })
  it.each(["refresh", "preview", "up", "destroy"])("is not gone because another service has none: %s", async (name) => {
    const { env, operations } = await bought()
    env.override(1, { status: "deleted" })
    env.calls.length = 0
    assert.include(
      (await rejection(operations(env, THERE)[name]?.())).message,
      "instance 1 is at the service https://one.example.test/api/v1, not at https://two.example.test/api/v1. "
        + "Nothing was changed, and it stays in the state. Set VPS_BASE_URL to https://one.example.test/api/v1."
    )
    assert.deepStrictEqual(mutations(env), [])
  })
  it("is recognized at a new address of the service, which the state has after a refresh", async () => {
    const { env, stored } = await bought()
    const seen = await instanceLifecycle.read(at(env, `${THERE}/`), stored.id, stored.outputs)
    assert.match(String(seen?.outputs["__service"]), /^https:\/\/two\.example\.test\/api\/v1#[0-9a-f]{12}$/)
    assert.deepStrictEqual({ ...seen?.outputs, __service: undefined }, { ...stored.outputs, __service: undefined })
  })
  it("is not changed at the same address when another instance has its number", async () => {
    const { env, operations } = await bought()
    env.override(1, OTHER)
    assert.include((await rejection(operations(env, HERE)["up"]?.())).message, "is not the one in the state")
  })
  it.each(["preview", "up", "destroy"])("is not managed with a key of another account: %s", async (name) => {
    const { env, operations } = await bought()
    await env.useOtherAccount()
    assert.include(
      (await rejection(operations(env, HERE, "other")[name]?.())).message,
      "instance 1 belongs to account 1, but the API key belongs to account 2 (owner-2@example.test)"
    )
  })
  it("needs no request to be compared with the key that bought it, and one with another of its account", async () => {
    const { env, stored } = await bought()
    env.calls.length = 0
    await up(at(env), web, stored)
    assert.deepStrictEqual(env.calls, [])
    await up(at(env, HERE, "rotated"), web, stored)
    assert.deepStrictEqual(env.calls, ["whoami"])
  })
})

describe.each(ATTACHED)("a %s", (type, lifecycle, program, change) => {
  const name = urn(type)
  const attached = async () => {
    const env = await Environment.withInstance()
    if (type === "SnapshotRestore") await env.addSnapshot("first")
    const stored = await engineFor(lifecycle, name).up(at(env), program)
    return { env, operations: operations(lifecycle, stored, { ...program, ...change }, name) }
  }

  it.each(["refresh", "preview", "up", "destroy"])("stays with its instance at another service: %s", async (verb) => {
    const { env, operations } = await attached()
    env.override(1, OTHER)
    env.calls.length = 0
    assert.include((await rejection(operations(env, THERE)[verb]?.())).message, "is not the one in the state")
    env.override(1, { status: "deleted" })
    assert.include(
      (await rejection(operations(env, THERE)[verb]?.())).message,
      "is at the service https://one.example.test"
    )
    assert.deepStrictEqual(mutations(env), [])
  })
  it("is not created on another instance of the number in the state", async () => {
    const { env, stored } = await bought()
    const session = at(env)
    await instanceLifecycle.check(session, stored.inputs, { ...web, __urn: URN })
    await instanceLifecycle.diff(session, stored.id, stored.outputs, stored.inputs)
    // A state of an earlier version records only the account.
    await session.assertReachable(1, parentIdentity({ userId: 1 }))
    env.override(1, OTHER)
    assert.include(
      (await rejection(engineFor(lifecycle, name).up(session, program))).message,
      "is not the one in the state"
    )
  })
})
