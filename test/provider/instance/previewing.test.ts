/** Previews fail where the update would, and say what they do not know. */
import { assert, describe, it } from "vitest"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { instanceLifecycle } from "#provider/instance/Instance"
import { DAY, Environment } from "../Environment.ts"
import { OTHER_SSH_KEY, SSH_KEY } from "../../support/sshKey.ts"
import { apiError } from "../Faults.ts"
import { check, engineFor, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com" }
const frontend = engineFor(instanceLifecycle, URN.replace("web", "frontend"))
const other = engineFor(instanceLifecycle, URN.replace("web", "other"))

const bought = async (): Promise<Environment> => {
  const env = await Environment.make()
  await up(env.session(), program)
  env.lines.length = 0
  env.calls.length = 0
  return env
}

describe("what the service refuses fails in the preview", () => {
  it.each<[Properties, string]>([
    [{ os: "plan-9" }, "os: this purchase was refused: the service returned 422: body.os: "],
    [{ hostname: "-web" }, "hostname: this purchase was refused: the service returned 422: body.hostname: "],
    [{ sshPublicKey: "no key" }, ": this purchase was refused: the service returned 422: body.ssh_pubkey: "],
    [{ os: "windows-2022", sshPublicKey: SSH_KEY }, "cannot be installed on Windows"]
  ])("%j", async (inputs, reason) => {
    const env = await Environment.make()
    assert.include((await rejection(check(env.session(), undefined, { ...program, ...inputs }))).message, reason)
  })
  it("also in a program whose first instance is accepted", async () => {
    const env = await Environment.make()
    const session = env.session()
    await check(session, undefined, { ...program, sshPublicKey: SSH_KEY })
    assert.include((await rejection(other.check(session, undefined, { ...program, os: "plan-9" }))).message, "body.os")
    assert.include(
      (await rejection(frontend.check(session, undefined, { ...program, hostname: "a_b" }))).message,
      "body.hostname"
    )
    await other.check(session, undefined, { ...program, sshPublicKey: OTHER_SSH_KEY })
  })
  it("an unknown value is judged in the update", async () => {
    const env = await Environment.make()
    await check(env.session(), undefined, { ...program, os: UNKNOWN, hostname: UNKNOWN, sshPublicKey: UNKNOWN })
    assert.isTrue(env.said("buying VPS S charges 4.99 EUR now"))
  })
})

describe("a name whose instance is gone or held", () => {
  it("an instance that was deleted after it expired needs a new generation", async () => {
    const env = await bought()
    await env.emulator.wallet.set(0)
    // A month, and the days in which a top-up still renews it.
    for (const days of [32, 8]) await env.advance(days * DAY)
    await env.emulator.wallet.set(100)
    assert.deepStrictEqual(await env.vps.instances.list(), [])
    assert.include(
      (await rejection(check(env.session(), undefined, program))).message,
      "this name has already bought an instance, which no longer exists. Nothing was charged. Set generation: 2"
    )
    assertLike(await check(env.session(), undefined, { ...program, generation: 2 }), program)
  })
  it("where the service shows no purchase keys, it is taken for an instance of an earlier run", async () => {
    const env = await bought()
    env.shows = false
    await check(env.session(), undefined, program)
    assert.isTrue(env.said("web: already bought (by an earlier run); nothing will be charged"))
  })
  it("a name freed by an alias fails in either order of the two resources", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const [one, two] = [env.session(), env.session()]
    await frontend.up(one, program, first)
    assert.include(
      (await rejection(check(one, undefined, program))).message,
      "instance 1, which this name bought, is already managed by frontend in this stack. Nothing was charged. Set "
        + "generation: 2"
    )
    await check(two, undefined, program)
    assert.include(
      (await rejection(frontend.up(two, program, first))).message,
      "frontend: instance 1 belongs to this resource, but web adopts it, too. Set another generation of web"
    )
    assertLike(await check(one, undefined, { ...program, generation: 2 }), { generation: 2 })
  })
})

describe("adoptInstanceId", () => {
  const taken = { serviceId: 1, adoptInstanceId: 1 }
  it.each<[Properties, string]>([
    [{ adoptInstanceId: 9 }, "instance 9 not found in account 1"],
    [{ serviceId: 2 }, "instance 1 is on plan 1 (VPS S), but the program has plan 2. It was not adopted"],
    [{ os: "alma-9" }, "instance 1 runs debian-12, but the program has alma-9. It was not adopted"]
  ])("%j fails in the preview", async (inputs, reason) => {
    const env = await bought()
    assert.include((await rejection(other.check(env.session(), undefined, { ...taken, ...inputs }))).message, reason)
  })
  it("an instance that is gone fails in the preview", async () => {
    const env = await bought()
    env.override(1, { status: "failed" })
    assert.include(
      (await rejection(other.check(env.session(), undefined, taken))).message,
      "instance 1 is failed. It was not adopted"
    )
  })
  it("an instance of another resource fails in the preview, in either order", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const [one, two] = [env.session(), env.session()]
    await up(one, program, first)
    assert.include(
      (await rejection(other.check(one, undefined, taken))).message,
      "adoptInstanceId: instance 1 is already managed by web in this stack. Remove adoptInstanceId"
    )
    await other.check(two, undefined, taken)
    assert.include(
      (await rejection(up(two, program, first))).message,
      "remove its adoptInstanceId. Nothing was changed."
    )
    assert.include((await rejection(frontend.check(two, undefined, taken))).message, "already managed by other")
  })
  it("unknown values are judged in the update", async () => {
    const env = await bought()
    await other.check(env.session(), undefined, { serviceId: UNKNOWN, os: UNKNOWN, adoptInstanceId: 1 })
    await other.check(env.session(), undefined, { serviceId: 1, adoptInstanceId: UNKNOWN })
    assert.deepStrictEqual(env.lines, [
      "info other: may buy an instance for a charge that is not known yet, because adoptInstanceId is unknown in this "
      + "preview; no total or balance includes it"
    ])
  })
})

describe("an instance that another stack may have", () => {
  it("is named with the danger and the two ways out", async () => {
    const env = await bought()
    await check(env.session(), undefined, program)
    assert.deepStrictEqual(env.lines, [
      "warning web: already bought (instance 1 on 2026-03-01T12:00:00.000Z); nothing will be charged. An interrupted "
      + "update continues with it. But if another stack has it, such as a renamed or copied one, both would change and "
      + "destroy one instance: then set generation: 2, or another vps:idempotencyScope, to buy another one"
    ])
    for (const apart of [{ program: { generation: 2 } }, { scope: "b" }]) {
      const session = env.session({ idempotencyScope: apart.scope ?? "" })
      assert.notStrictEqual((await up(session, { ...program, ...apart.program })).id, "1")
    }
  })
})

describe("a purchase with unknown inputs is in the preview", () => {
  it.each<[Properties, string]>([
    [
      { serviceId: UNKNOWN, maxCharge: 5 },
      "web: buys an instance for a charge that is not known yet, at most maxCharge (5.00), because serviceId is "
      + "unknown in this preview; no total or balance includes it"
    ],
    [
      { serviceId: UNKNOWN, generation: UNKNOWN },
      "web: buys an instance for a charge that is not known yet, because serviceId and generation are unknown in "
      + "this preview; no total or balance includes it"
    ],
    [
      { couponCode: UNKNOWN },
      "web: buying VPS S charges at most 4.99 EUR now (billed monthly; couponCode is unknown in this preview); "
      + "remaining balance: 95.01 EUR"
    ],
    [
      { maxCharge: UNKNOWN },
      "web: buying VPS S charges 4.99 EUR now (billed monthly; maxCharge is unknown in this preview); "
      + "remaining balance: 95.01 EUR"
    ]
  ])("%j", async (inputs, line) => {
    const env = await Environment.make()
    await check(env.session(), undefined, { ...program, ...inputs })
    assert.deepStrictEqual(env.lines, [`info ${line}`])
  })
  it("an unknown coupon may lower a charge that exceeds a limit: a warning; other limits hold", async () => {
    const env = await Environment.make()
    await check(env.session(), undefined, { ...program, couponCode: UNKNOWN, maxCharge: 4 })
    assert.strictEqual(
      env.lines[0],
      "warning web: the charge of 4.99 EUR exceeds maxCharge 4.00 EUR. couponCode is unknown in this preview, and may "
        + "lower the charge"
    )
    await env.emulator.wallet.set(4)
    assert.include(
      (await rejection(check(env.session(), undefined, { ...program, maxCharge: UNKNOWN }))).message,
      "exceeds the wallet"
    )
  })
  it("an unavailable service is reported as before", async () => {
    const env = await Environment.make()
    env.faults.fail("dryRun", apiError(500, "broken"))
    assert.include((await rejection(check(env.session(), undefined, program))).message, "the charge is not available")
  })
})

describe("an instance that another resource of the stack manages", () => {
  it("is not taken by a new resource under its old name", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const session = env.session()
    const renamed = { ...program, __urn: "urn:pulumi:prod::shop::vps:index:Instance::frontend" }
    await up(session, renamed, first)
    assert.include(
      (await rejection(up(session, program))).message,
      "instance 1, which this name bought, is already managed by frontend in this stack. Nothing was charged. Set "
        + "generation: 2 to buy another instance"
    )
    assert.include(
      (await rejection(up(session, { ...program, adoptInstanceId: 1 }))).message,
      "instance 1 is already managed by frontend"
    )
    assertLike(await up(session, { ...program, generation: 2 }), { id: "2", reasons: [] })
  })
})
