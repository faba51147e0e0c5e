import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { UNKNOWN } from "#provider/definition/Properties"
import { check, type Stored, up } from "../Runs.ts"
import { Environment, OTHER_SSH_KEY, SSH_KEY } from "../Environment.ts"
import { apiError } from "../Faults.ts"

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
    expect(second).toMatchObject({ id: "1", reasons: [], outputs: { hostname: "www.example.com" } })
    expect(env.count("hostname 1 www.example.com")).toBe(1)
  })
  it("a busy instance is retried after Retry-After, and its task is named", async () => {
    const { first, env } = await bought()
    env.faults.fail("hostname", apiError(409, "busy with another task (restart)", { retryAfter: 7 }))
    env.faults.fail("hostname", apiError(502, "upstream"))
    const before = env.now
    await up(env.session(), { ...program, hostname: "www.example.com" }, first)
    expect(env.now - before).toBeGreaterThanOrEqual(8_000)
    expect(env.said("progress web: the service returned 409: busy with another task (restart)")).toBe(true)
  })
  it("a rejected change is reported, the ID stays, and the next up continues", async () => {
    const { first, env } = await bought()
    env.faults.fail("hostname", apiError(422, "not a host name"))
    const second = await up(env.session(), { ...program, hostname: "-" }, first)
    expect(second.reasons[0]).toContain("the service returned 422: not a host name")
    expect(second.outputs["hostname"]).toBe("web.example.com")
    expect(await up(env.session(), program, second)).toMatchObject({
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
    await expect(check(env.session(), first.inputs, { ...program, [name]: value })).rejects.toThrow(reason)
  })
  it("a plan that was changed in the panel is the truth, and the program's is put right", async () => {
    const { first, env } = await bought()
    await env.outside((vps) => vps.instances.resize(1, { service_id: 2 }))
    const seen = await read(env, first)
    expect(seen?.inputs["serviceId"]).toBe(2)
    const drifted = { ...first, ...seen! }
    expect(await up(env.session(), { ...program, serviceId: 2 }, drifted)).toMatchObject({ reasons: [] })
    expect(await up(env.session(), program, drifted)).toMatchObject({ reasons: [], outputs: { serviceId: 1 } })
    expect(env.said("warning web: resizing instance 1 from plan 2 (VPS M) to 1 (VPS S) is a downgrade")).toBe(true)
  })
  it("a host name that was changed in the panel is put right by the next up", async () => {
    const { first, env } = await bought()
    await env.vps.instances.hostname(1, { hostname: "drift.example.com" })
    const drifted = { ...first, ...(await read(env, first))! }
    expect(drifted.inputs["hostname"]).toBe("drift.example.com")
    expect(await up(env.session(), program, drifted)).toMatchObject({ outputs: { hostname: "web.example.com" } })
  })
  it("refresh invents no input that the program never gave", async () => {
    const { first, env } = await bought()
    const seen = await read(env, first)
    expect(seen?.inputs).toEqual(first.inputs)
    expect(seen?.outputs).toEqual(first.outputs)
  })
  it("a settings change is recorded and calls nothing that changes the server", async () => {
    const { first, env } = await bought()
    const calls = env.calls.length
    const second = await up(env.session(), { ...program, deletionPolicy: "stop" }, first)
    expect(second.outputs["deletionPolicy"]).toBe("stop")
    expect(env.calls.slice(calls)).toEqual(["get 1"])
  })
  it("an unknown value in a preview is neither checked nor a change", async () => {
    const { first, env } = await bought()
    const inputs = await check(env.session(), first.inputs, { ...program, serviceId: UNKNOWN, hostname: UNKNOWN })
    const difference = await instanceLifecycle.diff(env.session(), first.id, first.outputs, inputs)
    expect(difference).toEqual({ changed: [], replaces: [] })
  })
  it("a new SSH key is recorded for the next reinstall and taken back quietly", async () => {
    const { first, env } = await bought({ sshPublicKey: SSH_KEY })
    const second = await up(env.session(), { ...program, sshPublicKey: OTHER_SSH_KEY }, first)
    expect(second.outputs).toMatchObject({ sshPublicKey: SSH_KEY, pendingSshKey: OTHER_SSH_KEY })
    expect((await read(env, second))?.inputs["sshPublicKey"]).toBe(OTHER_SSH_KEY)
    env.lines.length = 0
    const third = await up(env.session(), { ...program, sshPublicKey: SSH_KEY }, second)
    expect(third.outputs).not.toHaveProperty("pendingSshKey")
    expect(env.lines).toEqual([])
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
      expect(env.said("is not installed now")).toBe(false)
      await preview({})
      expect(env.said(`warning web: the new ${name} is not installed now; it takes effect at the next reinstall`))
        .toBe(true)
      expect(env.said(value)).toBe(false)
    }
  )
})

describe("a refresh between a partial create and the next up", () => {
  it("does not end the wait: the outputs still show that it has no address", async () => {
    const env = await Environment.make()
    const slow = { ...program, timeouts: { create: "30s" } }
    const first = await up(env.session(), slow)
    const refreshed = { ...first, ...(await read(env, first))!, reasons: [] }
    expect(await up(env.session(), slow, refreshed)).toMatchObject({ id: "1", outputs: { ipv4: "198.18.0.1" } })
  })
  it("does not hide that provisioning failed", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), { ...program, timeouts: { create: "30s" } })
    env.override(1, { status: "failed" })
    const refreshed = { ...first, ...(await read(env, first))!, reasons: [] }
    expect(env.said("warning web: instance 1 could not be provisioned, and the purchase was refunded")).toBe(
      true
    )
    const again = { ...program, timeouts: { create: "30s" } }
    await expect(up(env.session(), again, refreshed)).rejects.toThrow("Set generation: 2 to buy another one")
  })
})

describe("a server that is not found", () => {
  it("is gone when the key is of the account that the state holds", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "deleted" })
    expect(await read(env, first)).toBeUndefined()
    const renamed = { ...program, hostname: "www.example.com" }
    await expect(up(env.session(), renamed, first)).rejects.toThrow(
      "instance 1 no longer exists. Run `pulumi refresh`"
    )
  })
  it("is not gone when the key is another account's", async () => {
    const { first, env } = await bought()
    await env.useOtherAccount()
    const message = "instance 1 belongs to account 1, but the API key belongs to account 2 (owner-2@example.test)"
    await expect(read(env, first)).rejects.toThrow(message)
    await expect(
      instanceLifecycle.delete(env.session({}, { VPS_DELETION_POLICY: "forget" }), first.id, first.outputs)
    )
      .rejects.toThrow(message)
  })
  it("an expired instance stays in the state and is reported", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "expired" })
    expect((await read(env, first))?.outputs["status"]).toBe("expired")
    expect(env.said("warning web: instance 1 has expired")).toBe(true)
  })
})

describe("a new generation", () => {
  const next = { ...program, generation: 2 }
  it("is refused before anything is bought while the policy is fail and the old server lives", async () => {
    const { first, env } = await bought()
    await expect(up(env.session(), next, first)).rejects.toThrow(
      "a changed generation buys a new instance and deletes instance 1"
    )
    expect(env.count("create")).toBe(1)
  })
  it("buys a new one and lets the old one go under the policy that was accepted", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), { ...next, deletionPolicy: "stop" }, first)
    expect(second).toMatchObject({ id: "2", reasons: [] })
    expect(env.count("stop 1")).toBe(1)
    expect(env.count("stop 2")).toBe(0)
  })
  it("needs no policy when the old one has ended", async () => {
    const { first, env } = await bought()
    env.override(1, { status: "failed" })
    expect(await up(env.session(), next, first)).toMatchObject({ id: "2", reasons: [] })
  })
  it("can't be combined with taking an existing server over", async () => {
    const { first, env } = await bought()
    await expect(check(env.session(), first.inputs, { ...next, adoptInstanceId: 5 })).rejects.toThrow(
      "Remove adoptInstanceId"
    )
  })
})
