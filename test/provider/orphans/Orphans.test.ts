import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findOrphans, readState } from "#provider/orphans/Orphans"
import { describeOrphans } from "#provider/orphans/Report"
import { readStates } from "#provider/orphans/States"
import { DEPLOY_TIME, Environment } from "../Environment.ts"

const DYNAMIC = "pulumi-nodejs:dynamic/vps:Instance"
const resource = (name: string, id: number | undefined, type = DYNAMIC, userId: number | undefined = 1) => ({
  urn: `urn:pulumi:prod::shop::${type}::${name}`,
  type,
  ...(id === undefined ? {} : { id: String(id) }),
  outputs: { userId }
})
const exported = (resources: ReadonlyArray<object>, pending_operations: ReadonlyArray<object> = []) =>
  JSON.stringify({ version: 3, deployment: { resources, pending_operations } })

/** Servers 1 to `count`, all deployed. */
const account = async (count: number, change: (env: Environment) => void = () => {}) => {
  const env = await Environment.make()
  for (let at = 0; at < count; at++) {
    await env.buy({ service_id: 1, hostname: `web-${at + 1}.example.com` }, `key-${at + 1}`)
  }
  await env.advance(DEPLOY_TIME)
  change(env)
  return { instances: await env.api.list(), whoami: await env.api.whoami() }
}
const report = async (count: number, texts: ReadonlyArray<string>, change?: (env: Environment) => void) => {
  const { instances, whoami } = await account(count, change)
  return findOrphans(texts.map((text, index) => readState(`state-${index}.json`, text)), instances, whoami)
}

describe("orphans", () => {
  it("are the instances that are in no state, of either provider", async () => {
    const states = [exported([resource("a", 1)]), exported([resource("b", 2, "vps:index:Instance")])]
    const { foreign, missing, orphans } = await report(4, states)
    expect(orphans.map(({ id }) => id)).toEqual([3, 4])
    expect({ missing, foreign }).toEqual({ missing: [], foreign: [] })
  })
  it("have a description and their renewal costs", async () => {
    const { orphans } = await report(1, [exported([])])
    expect(orphans).toEqual([{
      id: 1,
      hostname: "web-1.example.com",
      status: "running",
      ipv4: "198.18.0.1",
      plan: "VPS S",
      service_id: 1,
      renewal_price: 4.99,
      billing_cycle: "monthly",
      auto_renew: true,
      expires_at: "2026-04-01T12:00:00.000Z",
      created_at: expect.any(String),
      bought_by: null
    }])
  })
  it.each(["failed", "expired", "deleted"])("are not those that are %s: they cost nothing", async (status) => {
    expect((await report(1, [exported([])], (env) => env.override(1, { status }))).orphans).toEqual([])
  })
  it("bought by an update that was interrupted name it: running it again takes them", async () => {
    const pending = { type: "creating", resource: { ...resource("a", undefined), inputs: { __purchaseKey: "key-1" } } }
    const { orphans } = await report(2, [exported([], [pending])])
    expect(orphans.map((one) => one.bought_by?.urn)).toEqual([`urn:pulumi:prod::shop::${DYNAMIC}::a`, undefined])
  })
  it("other resources do not count as instances", async () => {
    const record = { ...resource("a", 1), type: "pulumi-nodejs:dynamic/vps:ReverseDns" }
    expect((await report(1, [exported([record])])).orphans).toHaveLength(1)
  })
  it("what a state has and the account has not is missing, but for what is another account's", async () => {
    const { foreign, missing } = await report(1, [exported([resource("a", 7), resource("b", 8, DYNAMIC, 2)])])
    expect(missing.map(({ id }) => id)).toEqual([7])
    expect(foreign.map(({ id, user_id }) => [id, user_id])).toEqual([[8, 2]])
  })
})

describe("states", () => {
  it.each([
    ["not JSON", "{", "is not JSON"],
    ["another document", "{\"resources\":[]}", "is not an exported stack"],
    ["a list", "[]", "is not an exported stack"],
    ["nothing", "null", "is not an exported stack"]
  ])(
    "that are %s are refused",
    (_, text, reason) => expect(() => readState("a.json", text)).toThrow(`a.json ${reason}`)
  )
  it("of a local backend are read as well, and an empty stack is one", () => {
    const file = JSON.stringify({ version: 3, checkpoint: { latest: { resources: [resource("a", 1)] } } })
    expect(readState("a.json", file).held).toEqual([{
      urn: expect.any(String),
      id: 1,
      user_id: 1,
      facts: expect.any(Object)
    }])
    expect(readState("a.json", JSON.stringify({ version: 3, deployment: {} }))).toMatchObject({ held: [], pending: [] })
  })
  it("come from files, and a missing one is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-orphans-"))
    try {
      const file = join(folder, "prod.json")
      writeFileSync(file, exported([resource("a", 1)]))
      expect(await readStates({ files: [file] })).toMatchObject([{ source: file, held: [{ id: 1 }] }])
      await expect(readStates({ files: [join(folder, "no.json")] })).rejects.toThrow("no.json cannot be read: ENOENT")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    await expect(readStates({})).rejects.toThrow("no state given")
  })
})

describe("the report", () => {
  it("says what each orphan costs and what to do about it", async () => {
    const pending = { type: "creating", resource: { ...resource("a", undefined), inputs: { __purchaseKey: "key-1" } } }
    const text = describeOrphans(await report(2, [exported([resource("gone", 9)], [pending])]))
    expect(text).toContain("2 instances in account 1 are not in state-0.json:")
    expect(text).toContain("instance 2 (web-2.example.com, 198.18.0.2): VPS S, running, bought on ")
    expect(text).toContain("renews for 4.99 monthly, next on 2026-04-01T12:00:00.000Z")
    expect(text).toContain("bought by an interrupted update of a (state-0.json): run `pulumi up` there to adopt it")
    expect(text).toContain("new Instance(\"...\", { serviceId: 1, adoptInstanceId: 2 })")
    expect(text).toContain("to end its charges: ask the host to turn off auto_renew")
    expect(describeOrphans(await report(1, [exported([])]), undefined, "https://vps.example.test/panel"))
      .toContain("to end its charges: turn off auto_renew at https://vps.example.test/panel/instances/1")
    expect(text).toContain("instance 9: gone (state-0.json)")
    expect(describeOrphans(await report(2, [exported([])]), "EUR")).toContain("renews for 4.99 EUR monthly")
  })
  it("says so when there is none", async () => {
    expect(describeOrphans(await report(1, [exported([resource("a", 1)]), exported([])])))
      .toBe("Every instance you pay for in account 1 is in 2 states.\n")
  })
})
