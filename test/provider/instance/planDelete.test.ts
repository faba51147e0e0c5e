/** A delete that is planned, for hosts whose engine plans destroys, and a replacement that keeps its instance. */
import { assert, describe, it } from "vitest"
import type { Properties } from "#provider/definition/Properties"
import { instanceLifecycle } from "#provider/instance/Instance"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { DAY, Environment } from "../Environment.ts"
import { check, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"

const program = { serviceId: 1, hostname: "web.example.com" }
const SNAPSHOT_URN = "urn:pulumi:prod::shop::vps:index:Snapshot::nightly"

describe("planning the delete of an instance", () => {
  const planned = async (inputs: Properties, environment: Record<string, string> = {}) => {
    const env = await Environment.make()
    const { id, outputs } = await up(env.session(), { ...program, ...inputs })
    const session = env.session({}, environment)
    const plan = () => instanceLifecycle.planDelete!(session, id, { ...outputs, __urn: URN })
    return { env, id, outputs, plan, session }
  }

  it("fails under the policy fail, and changes nothing", async () => {
    const { env, plan } = await planned({})
    const { message } = await rejection(plan())
    assert.match(
      message,
      /^web: instance 1 cannot be destroyed: its deletion policy is "fail"\.\n.* renews for 4\.99 EUR/
    )
    assert.include(message, "VPS_DELETION_POLICY=forget")
    assert.strictEqual((await env.vps.instances.get(1)).status, "running")
  })
  it.each([["stop", "is powered off"], ["forget", "keeps running"]])(
    "says under the policy %s that the instance %s, and until when it is paid",
    async (policy, effect) => {
      const { env, id, outputs, plan, session } = await planned({ deletionPolicy: policy })
      await plan()
      assert.include(env.lines.at(-1), `web: instance 1 ${effect} and leaves the state`)
      assert.include(env.lines.at(-1), "it is paid until")
      assert.strictEqual((await env.vps.instances.get(1)).status, "running")
      await instanceLifecycle.delete(session, id, { ...outputs, __urn: URN })
      assert.strictEqual((await env.vps.instances.get(1)).status, policy === "stop" ? "stopped" : "running")
    }
  )
  it("uses the policy of the environment", async () => {
    const { env, plan } = await planned({}, { VPS_DELETION_POLICY: "forget" })
    await plan()
    assert.include(env.lines.at(-1), "because its deletion policy is \"forget\"")
  })
})

it("planning the delete of a snapshot says that it stays, and nothing of one that is deleted", async () => {
  const env = await Environment.withInstance()
  const outputs = { instanceId: "1", name: "nightly", snapshotId: 3, __urn: SNAPSHOT_URN }
  await snapshotLifecycle.planDelete!(env.session(), "1/3", outputs)
  assert.deepStrictEqual(env.lines, [])
  await snapshotLifecycle.planDelete!(env.session(), "1/3", { ...outputs, onDelete: "keep" })
  assert.include(env.lines.at(-1), "nightly: snapshot 3 (\"nightly\") of instance 1 is left in place")
})

describe("a replacement that keeps its instance", () => {
  it("continues with it at any time, buys nothing, and does not delete it", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    await env.advance(3 * DAY)
    const balance = await env.wallet()
    const session = env.session()
    session.continued.set(URN, { id: 1, key: String(first.outputs["purchaseKey"]) })
    const inputs = await check(session, undefined, program)
    assert.isUndefined(env.lines.find((line) => line.includes("already bought")))
    const { id } = await instanceLifecycle.create(session, inputs)
    assert.strictEqual(id, "1")
    await instanceLifecycle.delete(session, id, { ...first.outputs, __urn: URN })
    assert.strictEqual((await env.vps.instances.get(1)).status, "running")
    assert.strictEqual(await env.wallet(), balance)
  })
  it("uses the key in the state, under whose name the instance was bought", async () => {
    const env = await Environment.make()
    const { outputs } = await up(env.session(), program)
    const session = env.session()
    const urn = `${URN}-renamed`
    const key = String(outputs["purchaseKey"])
    session.continued.set(urn, { id: 1, key })
    assert.strictEqual((await check(session, undefined, { ...program, __urn: urn }))["__purchaseKey"], key)
  })
})
