import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { INSTANCE_STATUSES } from "@pulumi-vps/contract/Instance"
import { assert, describe, it } from "vitest"
import { describeOrphans, findOrphans, readState } from "#provider/orphans/Orphans"
import { readStates } from "#provider/orphans/States"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { rejection } from "../../support/rejection.ts"
import { assertExactlyLike, assertLike, isText } from "../../support/like.ts"

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
  return { instances: await env.api.list(), whoami: await env.vps.account.whoami() }
}
const report = async (count: number, texts: ReadonlyArray<string>, change?: (env: Environment) => void) => {
  const { instances, whoami } = await account(count, change)
  return findOrphans(texts.map((text, index) => readState(`state-${index}.json`, text)), instances, whoami)
}

describe("orphans", () => {
  it("are the instances that are in no state, of either provider", async () => {
    const states = [exported([resource("a", 1)]), exported([resource("b", 2, "vps:index:Instance")])]
    const { foreign, missing, orphans } = await report(4, states)
    assert.deepStrictEqual(orphans.map(({ id }) => id), [3, 4])
    assert.deepStrictEqual({ missing, foreign }, { missing: [], foreign: [] })
  })
  it("have a description and their renewal costs", async () => {
    const { orphans } = await report(1, [exported([])])
    assertExactlyLike(orphans, [{
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
      created_at: isText,
      bought_by: null
    }])
  })
  it("are those in any status of the contract but failed, expired and deleted, which cost nothing", async () => {
    const isOrphan = async (status: string) =>
      (await report(1, [exported([])], (env) => env.override(1, { status }))).orphans.length === 1
    const found = await Promise.all(INSTANCE_STATUSES.map(isOrphan))
    assert.deepStrictEqual(INSTANCE_STATUSES.filter((_, at) => !found[at]), ["expired", "failed", "deleted"])
  })
  it("bought by an update that was interrupted name it: running it again takes them", async () => {
    const pending = { type: "creating", resource: { ...resource("a", undefined), inputs: { __purchaseKey: "key-1" } } }
    const { orphans } = await report(2, [exported([], [pending])])
    assert.deepStrictEqual(orphans.map((one) => one.bought_by?.urn), [
      `urn:pulumi:prod::shop::${DYNAMIC}::a`,
      undefined
    ])
  })
  it("other resources do not count as instances", async () => {
    const record = { ...resource("a", 1), type: "pulumi-nodejs:dynamic/vps:ReverseDns" }
    assert.lengthOf((await report(1, [exported([record])])).orphans, 1)
  })
  it("what a state has and the account has not is missing, but for what is another account's", async () => {
    const { foreign, missing } = await report(1, [exported([resource("a", 7), resource("b", 8, DYNAMIC, 2)])])
    assert.deepStrictEqual(missing.map(({ id }) => id), [7])
    assert.deepStrictEqual(foreign.map(({ id, user_id }) => [id, user_id]), [[8, 2]])
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
    (_, text, reason) => assert.throws(() => readState("a.json", text), `a.json ${reason}`)
  )
  it("of a local backend are read as well, and an empty stack is one", () => {
    const file = JSON.stringify({ version: 3, checkpoint: { latest: { resources: [resource("a", 1)] } } })
    const facts = (value: unknown) => typeof value === "object" && value !== null
    assertExactlyLike(readState("a.json", file).held, [{ urn: isText, id: 1, user_id: 1, facts }])
    assertLike(readState("a.json", JSON.stringify({ version: 3, deployment: {} })), { held: [], pending: [] })
  })
  it("come from files, and a missing one is named", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-orphans-"))
    try {
      const file = join(folder, "prod.json")
      writeFileSync(file, exported([resource("a", 1)]))
      assertLike(await readStates({ files: [file] }), [{ source: file, held: [{ id: 1 }] }])
      assert.include(
        (await rejection(readStates({ files: [join(folder, "no.json")] }))).message,
        "no.json cannot be read: ENOENT"
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    assert.include((await rejection(readStates({}))).message, "no state given")
  })
})

describe("the report", () => {
  it("says what each orphan costs and what to do about it", async () => {
    const pending = { type: "creating", resource: { ...resource("a", undefined), inputs: { __purchaseKey: "key-1" } } }
    const text = describeOrphans(await report(2, [exported([resource("gone", 9)], [pending])]))
    assert.include(text, "2 instances in account 1 are not in state-0.json:")
    assert.include(text, "instance 2 (web-2.example.com, 198.18.0.2): VPS S, running, bought on ")
    assert.include(text, "renews for 4.99 monthly, next on 2026-04-01T12:00:00.000Z")
    assert.include(text, "bought by an interrupted update of a (state-0.json): run `pulumi up` there to adopt it")
    assert.include(text, "new Instance(\"...\", { serviceId: 1, adoptInstanceId: 2 })")
    assert.include(text, "to end its charges: ask the host to turn off auto_renew")
    assert.include(
      describeOrphans(await report(1, [exported([])]), undefined, "https://vps.example.test/panel"),
      "to end its charges: turn off auto_renew at https://vps.example.test/panel/instances/1"
    )
    assert.include(text, "instance 9: gone (state-0.json)")
    assert.include(describeOrphans(await report(2, [exported([])]), "EUR"), "renews for 4.99 EUR monthly")
  })
  it("says so when there is none", async () => {
    assert.strictEqual(
      describeOrphans(await report(1, [exported([resource("a", 1)]), exported([])])),
      "Every instance you pay for in account 1 is in 2 states.\n"
    )
  })
})
