/** Instances by ID and hostname, and the rows that `--filter` selects. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { findInstance } from "#sdk/cli/shared/Lookup"
import { instances, parseProviderData } from "#sdk/cli/shared/Views"
import { parseFilters } from "#sdk/cli/output/List"
import { startEmulator } from "#sdk/testing/index"
import type { Instance } from "#sdk/index"

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
    expect(await found("1")).toBe(1)
    expect(await found("web.example.com")).toBe(1)
    expect(await found("WEB.Example.COM")).toBe(1)
  })
  it("has the ordered hostname while it is provisioned", async () => {
    expect(all[3]).toMatchObject({ status: "pending", provider_data: null })
    expect(parseProviderData(all[3]!)).toEqual({ hostname: "new.example.com", os: "debian-12" })
    expect(await found("new.example.com")).toBe(4)
  })
  it("with the hostname of another must be named by ID", async () => {
    expect(await found("db.example.com")).toEqual({
      exit: 2,
      message: expect.stringMatching(
        /^2 instances have the hostname db\.example\.com: 2 \(running, vps-s, [\d.]+\), 3 \(running, vps-s, [\d.]+\)\.$/
      ),
      hint: "Use the ID of one."
    })
  })
  it("that failed is only meant if no other has its hostname", async () => {
    const failed = all.map((each) => each.id === 2 ? { ...each, status: "failed" } : each)
    expect(await found("db.example.com", failed)).toBe(3)
    expect(await found("db.example.com", failed.slice(0, 2))).toBe(2)
  })
  it("that does not exist suggests similar hostnames", async () => {
    expect(await found("wev.example.com")).toMatchObject({ exit: 3, hint: expect.stringContaining("web.example.com") })
    expect(await found("99")).toMatchObject({ exit: 3, message: "Instance \"99\" not found." })
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
  ])("%j selects %j", async (conditions, ids) => expect(await filtered(...conditions)).toEqual(ids))
  it("an unknown column, or no condition, is an error", async () => {
    expect(await filtered("colour=red")).toBe("There is no column \"colour\".")
    expect(await filtered("running")).toBe("--filter running is not a condition.")
  })
})
