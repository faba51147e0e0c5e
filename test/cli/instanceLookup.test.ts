/** Instances by ID and hostname, and the rows that `--filter` selects. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { findInstance } from "#sdk/cli/shared/Selection"
import { instances, parseProviderData } from "#sdk/cli/shared/Views"
import { parseFilters } from "#sdk/cli/output/List"
import { startEmulator } from "#sdk/testing/index"
import type { Instance } from "#sdk/index"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

/** A failed one, two with the same hostname, and one whose hostname is only ordered yet. */
const bought = async (): Promise<ReadonlyArray<Instance>> => {
  await using emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
  const { instances: calls } = emulator.client()
  const names = ["web.example.com", "db.example.com", "db.example.com"]
  for (const hostname of names) await calls.createAndWait({ service_id: 1, hostname })
  await emulator.deploy.after(3_600_000)
  await calls.create({ service_id: 2, hostname: "new.example.com" })
  return await calls.list()
}
const all = await bought()

const found = (named: string, list = all) =>
  Effect.runPromise(Effect.match(findInstance(named, list), {
    onFailure: ({ exit, hint, message }) => ({ exit, message, hint }),
    onSuccess: ({ id }) => id
  }))

describe("an instance", () => {
  it("is named by ID, or by hostname in any case", async () => {
    assert.strictEqual(await found("1"), 1)
    assert.strictEqual(await found("web.example.com"), 1)
    assert.strictEqual(await found("WEB.Example.COM"), 1)
  })
  it("has the ordered hostname while it is provisioned", async () => {
    assertLike(all[3], { status: "pending", provider_data: null })
    assert.deepStrictEqual(parseProviderData(all[3]!), { hostname: "new.example.com", os: "debian-12" })
    assert.strictEqual(await found("new.example.com"), 4)
  })
  it("with the hostname of another must be named by ID", async () => {
    const message =
      /^2 instances have the hostname db\.example\.com: 2 \(running, vps-s, [\d.]+\), 3 \(running, vps-s, [\d.]+\)\.$/
    assertExactlyLike(await found("db.example.com"), { exit: 2, message, hint: "Use the ID of one." })
  })
  it("that failed is only meant if no other has its hostname", async () => {
    const failed = all.map((each) => each.id === 2 ? { ...each, status: "failed" } : each)
    assert.strictEqual(await found("db.example.com", failed), 3)
    assert.strictEqual(await found("db.example.com", failed.slice(0, 2)), 2)
  })
  it("that does not exist suggests similar hostnames", async () => {
    assertLike(await found("wev.example.com"), { exit: 3, hint: containing("web.example.com") })
    assertLike(await found("99"), { exit: 3, message: "Instance \"99\" not found." })
  })
})

describe("--filter", () => {
  const filtered = (...conditions: ReadonlyArray<string>) =>
    Effect.runPromise(Effect.match(parseFilters(instances.columns, conditions), {
      onFailure: ({ message }) => message,
      onSuccess: (test) => all.filter(test).map(({ id }) => id)
    }))

  it.each([
    [["status=running"], [1, 2, 3]],
    [["status!=running"], [4]],
    [["hostname=*.example.com", "plan=vps-m"], [4]],
    [["hostname=web*,NEW*"], [1, 4]],
    [["hostname=web.example.co."], []],
    [["ipv4=-"], [4]],
    [[], [1, 2, 3, 4]]
  ])("%j selects %j", async (conditions, ids) => assert.deepStrictEqual(await filtered(...conditions), ids))
  it("an unknown column, or no condition, is an error", async () => {
    assert.strictEqual(await filtered("colour=red"), "There is no column \"colour\".")
    assert.strictEqual(await filtered("running"), "--filter running is not a condition.")
  })
})
