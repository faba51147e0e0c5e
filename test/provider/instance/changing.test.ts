import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { UNKNOWN } from "#provider/definition/Properties"
import { check, type Stored, up } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { OTHER_SSH_KEY, SSH_KEY } from "../../support/sshKey.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com" }
const bought = async (more: Record<string, unknown> = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  return { env, first: await up(env.session(), { ...program, ...more }) }
}
const read = async (env: Environment, { id, outputs }: Stored) =>
  await instanceLifecycle.read(env.session(), id, outputs)

describe("changing an Instance", () => {
  it("a hostname is set in place", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), { ...program, hostname: "www.example.com" }, first)
    assertLike(second, { id: "1", reasons: [], outputs: { hostname: "www.example.com" } })
    assert.strictEqual(env.count("hostname 1 www.example.com"), 1)
  })
  it("a busy instance is retried after Retry-After, and its task is named", async () => {
    const { first, env } = await bought()
    env.faults.fail("hostname", apiError(409, "busy with another task (restart)", { retryAfter: 7 }))
    env.faults.fail("hostname", apiError(502, "upstream"))
    const before = env.now
    await up(env.session(), { ...program, hostname: "www.example.com" }, first)
    assert.isAtLeast(env.now - before, 8_000)
    assert.isTrue(env.said("progress web: the service returned 409: busy with another task (restart)"))
  })
  it("a rejected change is reported, the ID stays, and the next up continues", async () => {
    const { first, env } = await bought()
    env.faults.fail("hostname", apiError(422, "not a host name"))
    const second = await up(env.session(), { ...program, hostname: "-" }, first)
    assert.include(second.reasons[0], "the service returned 422: not a host name")
    assert.strictEqual(second.outputs["hostname"], "web.example.com")
    assertLike(await up(env.session(), program, second), {
      reasons: [],
      outputs: { hostname: "web.example.com" }
    })
  })
  it.each([
    [
      "serviceId",
      9,
      "instance 1 is on plan 1 (VPS S) and cannot be resized to plan 9. Available plans in its data center"
    ],
    ["serviceId", 9, "data center: 2 (VPS M), 3 (VPS L)"],
    ["os", "alma-9", "changing os from debian-12 to alma-9 reinstalls instance 1 (web.example.com, 198.18.0.1)"],
    ["os", "alma-9", "Set allowDataLoss: true to allow it (snapshotBefore takes a snapshot first), or set os: "],
    ["hostnme", "x", "hostnme is not an input of this resource"]
  ])("a changed %s is refused in the preview, with the reason", async (name, value, reason) => {
    const { first, env } = await bought()
    assert.include((await rejection(check(env.session(), first.inputs, { ...program, [name]: value }))).message, reason)
  })
  it("a plan that was changed in the panel is the truth, and the program's is put right", async () => {
    const { first, env } = await bought()
    await env.outside((vps) => vps.instances.resize(1, { service_id: 2 }))
    const seen = await read(env, first)
    assert.strictEqual(seen?.inputs["serviceId"], 2)
    const drifted = { ...first, ...seen! }
    assertLike(await up(env.session(), { ...program, serviceId: 2 }, drifted), { reasons: [] })
    assertLike(await up(env.session(), program, drifted), { reasons: [], outputs: { serviceId: 1 } })
    assert.isTrue(env.said("warning web: resizing instance 1 from plan 2 (VPS M) to 1 (VPS S) is a downgrade"))
  })
  it("a host name that was changed in the panel is put right by the next up", async () => {
    const { first, env } = await bought()
    await env.vps.instances.hostname(1, { hostname: "drift.example.com" })
    const drifted = { ...first, ...(await read(env, first))! }
    assert.strictEqual(drifted.inputs["hostname"], "drift.example.com")
    assertLike(await up(env.session(), program, drifted), { outputs: { hostname: "web.example.com" } })
  })
  it("refresh invents no input that the program never gave", async () => {
    const { first, env } = await bought()
    const seen = await read(env, first)
    assert.deepStrictEqual(seen?.inputs, first.inputs)
    assert.deepStrictEqual(seen?.outputs, first.outputs)
  })
  it("a settings change is recorded and calls nothing that changes the server", async () => {
    const { first, env } = await bought()
    const calls = env.calls.length
    const second = await up(env.session(), { ...program, deletionPolicy: "stop" }, first)
    assert.strictEqual(second.outputs["deletionPolicy"], "stop")
    assert.deepStrictEqual(env.calls.slice(calls), ["get 1"])
  })
  it("an unknown value in a preview is neither checked nor a change", async () => {
    const { first, env } = await bought()
    const inputs = await check(env.session(), first.inputs, { ...program, serviceId: UNKNOWN, hostname: UNKNOWN })
    const difference = await instanceLifecycle.diff(env.session(), first.id, first.outputs, inputs)
    assert.deepStrictEqual(difference, { changed: [], replaces: [] })
  })
  it("a new SSH key is recorded for the next reinstall and taken back quietly", async () => {
    const { first, env } = await bought({ sshPublicKey: SSH_KEY })
    const second = await up(env.session(), { ...program, sshPublicKey: OTHER_SSH_KEY }, first)
    assertLike(second.outputs, { sshPublicKey: SSH_KEY, pendingSshKey: OTHER_SSH_KEY })
    assert.strictEqual((await read(env, second))?.inputs["sshPublicKey"], OTHER_SSH_KEY)
    env.lines.length = 0
    const third = await up(env.session(), { ...program, sshPublicKey: SSH_KEY }, second)
    assert.notProperty(third.outputs, "pendingSshKey")
    assert.deepStrictEqual(env.lines, [])
  })
  it.each([["sshPublicKey", OTHER_SSH_KEY], ["rootPassword", "another-password"]])(
    "the preview of a new %s says that it is not installed, unless the update reinstalls",
    async (name, value) => {
      const { first, env } = await bought({ sshPublicKey: SSH_KEY, rootPassword: "first-password" })
      const preview = async (more: object): Promise<void> => {
        const session = env.session()
        const inputs = await check(session, first.inputs, { ...program, [name]: value, ...more })
        await instanceLifecycle.diff(session, first.id, first.outputs, inputs)
      }
      await preview({ allowDataLoss: true, os: "debian-13" })
      assert.isFalse(env.said("is not installed now"))
      await preview({})
      assert.isTrue(
        env.said(`warning web: the new ${name} is not installed now; it takes effect at the next reinstall`)
      )
      assert.isFalse(env.said(value))
    }
  )
})

describe("a refresh between a partial create and the next up", () => {
  it("does not end the wait: the outputs still show that it has no address", async () => {
    const env = await Environment.make()
    const slow = { ...program, timeouts: { create: "30s" } }
    const first = await up(env.session(), slow)
    const refreshed = { ...first, ...(await read(env, first))!, reasons: [] }
    assertLike(await up(env.session(), slow, refreshed), { id: "1", outputs: { ipv4: "198.18.0.1" } })
  })
  it("does not hide that provisioning failed", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), { ...program, timeouts: { create: "30s" } })
    env.override(1, { status: "failed" })
    const refreshed = { ...first, ...(await read(env, first))!, reasons: [] }
    assert.isTrue(env.said("warning web: instance 1 could not be provisioned, and the purchase was refunded"))
    const again = { ...program, timeouts: { create: "30s" } }
    assert.include(
      (await rejection(up(env.session(), again, refreshed))).message,
      "Set generation: 2 to buy another one"
    )
  })
})

describe("a server that is not found", () => {
  it("is gone when the key is of the account that the state holds", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "deleted" })
    assert.isUndefined(await read(env, first))
    const renamed = { ...program, hostname: "www.example.com" }
    assert.include(
      (await rejection(up(env.session(), renamed, first))).message,
      "instance 1 no longer exists. Run `pulumi refresh`"
    )
  })
  it("is not gone when the key is another account's", async () => {
    const { first, env } = await bought()
    await env.useOtherAccount()
    const message = "instance 1 belongs to account 1, but the API key belongs to account 2 (owner-2@example.test)"
    assert.include((await rejection(read(env, first))).message, message)
    assert.include(
      (await rejection(
        instanceLifecycle.delete(env.session({}, { VPS_DELETION_POLICY: "forget" }), first.id, first.outputs)
      )).message,
      message
    )
  })
  it("an expired instance stays in the state and is reported", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "expired" })
    assert.strictEqual((await read(env, first))?.outputs["status"], "expired")
    assert.isTrue(env.said("warning web: instance 1 has expired"))
  })
})

describe("a new generation", () => {
  const next = { ...program, generation: 2 }
  it("is refused before anything is bought while the policy is fail and the old server lives", async () => {
    const { first, env } = await bought()
    assert.include(
      (await rejection(up(env.session(), next, first))).message,
      "a changed generation buys a new instance and deletes instance 1"
    )
    assert.strictEqual(env.count("create"), 1)
  })
  it("buys a new one and lets the old one go under the policy that was accepted", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), { ...next, deletionPolicy: "stop" }, first)
    assertLike(second, { id: "2", reasons: [] })
    assert.strictEqual(env.count("stop 1"), 1)
    assert.strictEqual(env.count("stop 2"), 0)
  })
  it("needs no policy when the old one has ended", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "failed" })
    assertLike(await up(env.session(), next, first), { id: "2", reasons: [] })
  })
  it("can't be combined with taking an existing server over", async () => {
    const { first, env } = await bought()
    assert.include(
      (await rejection(check(env.session(), first.inputs, { ...next, adoptInstanceId: 5 }))).message,
      "Remove adoptInstanceId"
    )
  })
})
