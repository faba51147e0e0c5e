import { INSTANCE_STATUSES } from "@pulumi-vps/contract/Instance"
import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { check, type Stored, up } from "../Runs.ts"
import { DEPLOY_TIME, Environment, UPSTREAM_REASON } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"

const program = { serviceId: 1 }
const bought = async (more: Record<string, unknown> = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  return { env, first: await up(env.session(), { ...program, ...more }) }
}
const destroy = (
  env: Environment,
  { id, outputs }: Stored,
  configured: { deletionPolicy?: string } = {},
  environment: Record<string, string> = {}
) => instanceLifecycle.delete(env.session(configured, environment), id, outputs)

describe("destroying an Instance", () => {
  it("fails by default, and names the instance, its renewals, and the choices", async () => {
    const { first, env } = await bought()
    const failure = await destroy(env, first).then(() => "", (error: unknown) => (error as Error).message)
    for (
      const part of [
        "web: instance 1 was not destroyed",
        "2026-04-01T12:00:00.000Z (expires_at)",
        "renews for 4.99 EUR monthly",
        "auto_renew",
        "VPS_DELETION_POLICY=stop",
        "VPS_DELETION_POLICY=forget"
      ]
    ) assert.include(failure, part)
    assert.strictEqual(env.count("stop"), 0)
  })
  it.each<
    [string, Record<string, unknown>, { deletionPolicy?: string }, Record<string, string>, "stop" | "forget" | "fail"]
  >([
    ["the resource's", { deletionPolicy: "forget" }, {}, {}, "forget"],
    ["the configuration's, when the resource says nothing", {}, { deletionPolicy: "stop" }, {}, "stop"],
    [
      "the resource's before the configuration's",
      { deletionPolicy: "forget" },
      { deletionPolicy: "stop" },
      {},
      "forget"
    ],
    ["the environment's before all", { deletionPolicy: "forget" }, {}, { VPS_DELETION_POLICY: "stop" }, "stop"],
    ["the environment's fail too", { deletionPolicy: "forget" }, {}, { VPS_DELETION_POLICY: "fail" }, "fail"]
  ])("the policy in force is %s", async (_, inputs, configured, environment, expected) => {
    const { first, env } = await bought(inputs)
    const done = await destroy(env, first, configured, environment).then(() => true, () => false)
    assert.deepStrictEqual({ done, stopped: env.count("stop 1") === 1 }, {
      done: expected !== "fail",
      stopped: expected === "stop"
    })
  })
  it("stop waits until the instance is off, even if it is busy, and warns of its renewals", async () => {
    const { first, env } = await bought()
    env.faults.fail("stop", apiError(409, "busy with another task (restart)", { retryAfter: 3 }))
    await destroy(env, first, {}, { VPS_DELETION_POLICY: "stop" })
    assert.strictEqual(env.count("stop 1"), 2)
    assert.isTrue(env.said("warning web: instance 1 is powered off and is no longer in the state"))
  })
  it("a failed stop is reported immediately, and the instance stays in the state", async () => {
    const { first, env } = await bought()
    await env.failNext("stop")
    assert.include(
      (await rejection(destroy(env, first, {}, { VPS_DELETION_POLICY: "stop" }))).message,
      `web: powering off on instance 1 failed: ${UPSTREAM_REASON}`
    )
  })
  it("a server that was taken over is forgotten by default", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    const taken = await up(env.session(), { ...program, adoptInstanceId: 1 })
    await destroy(env, taken, { deletionPolicy: "stop" })
    assert.strictEqual(env.count("stop"), 0)
    assert.isTrue(env.said("warning web: instance 1 keeps running and is no longer in the state"))
  })
  it("needs a policy in any status of the contract but deleted, failed and expired", async () => {
    const { first, env } = await bought()
    const refused: Array<boolean> = []
    for (const status of INSTANCE_STATUSES) {
      env.override(1, { status })
      const reason = await destroy(env, first).then(() => "", (error: Error) => error.message)
      refused.push(reason.includes("instance 1 was not destroyed"))
    }
    assert.deepStrictEqual(INSTANCE_STATUSES.filter((_, at) => !refused[at]), ["expired", "failed", "deleted"])
  })
})

describe("the old half of a replacement that led to the same server", () => {
  it("`up --replace`: the server is not touched", async () => {
    const { first, env } = await bought()
    const session = env.session({}, { VPS_DELETION_POLICY: "stop" })
    const inputs = await check(session, undefined, program)
    assert.strictEqual((await instanceLifecycle.create(session, inputs)).id, "1")
    await instanceLifecycle.delete(session, first.id, first.outputs)
    assert.strictEqual(env.count("stop"), 0)
    assert.isTrue(env.said("the instance is unchanged"))
    assert.closeTo(await env.wallet(), 95.01, 0.005)
  })
  it("a pending delete after a crash, of an instance that is still in the state", async () => {
    const { first, env } = await bought()
    const session = env.session()
    const inputs = await check(session, first.inputs, program)
    await instanceLifecycle.diff(session, first.id, first.outputs, inputs)
    assert.isUndefined(await instanceLifecycle.delete(session, first.id, first.outputs))
  })
  it("a destroy that refreshes first is a real one: the diff of a refresh has planned nothing", async () => {
    const { first, env } = await bought()
    const session = env.session({}, { VPS_DELETION_POLICY: "stop" })
    const seen = await instanceLifecycle.read(session, first.id, first.outputs)
    await instanceLifecycle.diff(session, first.id, first.outputs, seen?.inputs ?? {})
    await instanceLifecycle.delete(session, first.id, first.outputs)
    assert.strictEqual(env.count("stop"), 1)
  })
  it("a delete in a process that saw nothing of it is a real one", async () => {
    const { first, env } = await bought()
    assert.include((await rejection(destroy(env, first))).message, "was not destroyed")
  })
})
