import { assert, describe, it } from "vitest"
import { UserError } from "#provider/api/Errors"
import { reverseDnsLifecycle } from "#provider/reverse-dns/ReverseDns"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { Environment } from "../Environment.ts"
import { engineFor, type Stored } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"

const WEB = "urn:pulumi:prod::shop::vps:index:Instance::web"
const SNAPSHOT = "urn:pulumi:prod::shop::vps:index:Snapshot::before"
const RECORD = "urn:pulumi:prod::shop::vps:index:ReverseDns::record"
const snapshots = engineFor(snapshotLifecycle, SNAPSHOT)
const records = engineFor(reverseDnsLifecycle, RECORD)

const held = (facts: Readonly<Record<string, unknown>>, urn = WEB, id = 1) => ({
  source: "stack prod",
  held: [{ urn, id, user_id: 1, facts }],
  pending: []
})

const BOUGHT = { purchaseKey: "pulumi-1" }

const taken = async (): Promise<{ env: Environment; snapshot: Stored }> => {
  const env = await Environment.withInstance()
  const snapshot = await snapshots.up(env.session(), { instanceId: "1", name: "before-upgrade" })
  env.state = held(BOUGHT)
  return { env, snapshot }
}

describe("a run that only deletes, of a stack whose instance refuses", () => {
  it("keeps the snapshots, and says what keeps them, and the choices", async () => {
    const { env, snapshot } = await taken()
    const failure = snapshotLifecycle.delete(env.session(), snapshot.id, snapshot.outputs)
    assert.match(
      (await rejection(failure)).message,
      /before: snapshot \d+ \("before-upgrade"\) of instance 1 was not deleted, because the deletion policy of web/
    )
    assert.include((await rejection(failure)).message, "VPS_DELETION_POLICY=stop")
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
  })
  it("keeps the PTR records that onDelete would reset", async () => {
    const env = await Environment.withInstance()
    const { ipv4 } = await env.vps.instances.get(1)
    const program = { instanceId: "1", ip: ipv4, ptr: "web.example.com", onDelete: { resetTo: "static.example.net" } }
    const record = await records.up(env.session(), program)
    env.state = held(BOUGHT)
    assert.include(
      (await rejection(reverseDnsLifecycle.delete(env.session(), record.id, record.outputs))).message,
      `record: the PTR record of ${ipv4} was not deleted, because the deletion policy of web is "fail"`
    )
    assert.strictEqual(env.rdns.get(ipv4!), "web.example.com")
  })
  it("keeps them while it is not known if the instance refuses", async () => {
    const { env, snapshot } = await taken()
    env.state = new UserError("stack prod cannot be exported: pulumi: not found")
    assert.include(
      (await rejection(snapshotLifecycle.delete(env.session(), snapshot.id, snapshot.outputs))).message,
      "was not deleted: whether instance 1 is destroyed with it is not known: stack prod cannot be exported: pulumi: "
        + "not found. Put the `pulumi` command on PATH, or set VPS_DELETION_POLICY to stop or forget."
    )
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
  })
})

describe("a snapshot is deleted", () => {
  it.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, string>>]>([
    ["when VPS_DELETION_POLICY allows to destroy the instance", BOUGHT, { VPS_DELETION_POLICY: "forget" }],
    ["when the instance's policy allows it", { ...BOUGHT, deletionPolicy: "stop" }, {}],
    ["when the instance was adopted", { purchaseKey: "" }, {}]
  ])("%s", async (_, facts, environment) => {
    const { env, snapshot } = await taken()
    env.state = held(facts)
    await snapshotLifecycle.delete(env.session({}, environment), snapshot.id, snapshot.outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
  })
  it.each([
    ["another instance", held(BOUGHT, WEB, 2)],
    ["the instance in another stack", held(BOUGHT, WEB.replace("prod", "dev"))]
  ])("when the stack holds %s", async (_, state) => {
    const { env, snapshot } = await taken()
    env.state = state
    await snapshotLifecycle.delete(env.session(), snapshot.id, snapshot.outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
  })
  it("when the run keeps the instance: the stack is not read", async () => {
    const { env, snapshot } = await taken()
    env.state = new Error("was read")
    const session = env.session()
    session.retain("1", WEB)
    await snapshotLifecycle.delete(session, snapshot.id, snapshot.outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
  })
  it("when it is replaced", async () => {
    const { env, snapshot } = await taken()
    await snapshots.up(env.session(), { instanceId: "1", name: "after-upgrade" }, snapshot)
    assert.deepStrictEqual(await env.snapshots(), ["after-upgrade"])
  })
})
