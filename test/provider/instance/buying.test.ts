import { assert, describe, it } from "vitest"
import { asInputs } from "#provider/instance/Definition"
import { instanceLifecycle } from "#provider/instance/Instance"
import { check, up } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { OTHER_SSH_KEY, SSH_KEY } from "../../support/sshKey.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertExactlyLike, assertLike, containing, isText } from "../../support/like.ts"

const DAY = 86_400_000
const program = { serviceId: 1, hostname: "web.example.com", os: "debian-12" }

/** An up that was killed after the POST had been answered: bought, and nothing in the state. */
const crashedUp = async (env: Environment, inputs: Record<string, unknown> = program): Promise<void> => {
  const checked = await check(env.session(), undefined, inputs)
  const { __purchaseKey: key, hostname, os, rootPassword, serviceId, sshPublicKey } = asInputs(checked)
  const body = { service_id: serviceId, hostname, os, ssh_pubkey: sshPublicKey, root_password: rootPassword }
  await env.buy(JSON.parse(JSON.stringify(body)), key)
}

describe("buying an Instance", () => {
  it("buys once, waits for the address, and a second up changes nothing", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    assertLike(first, { id: "1", reasons: [], outputs: { ...program, ipv4: "198.18.0.1", userId: 1 } })
    assertLike(first.outputs, { chargeAmount: 4.99, currency: "EUR", renewalPrice: 4.99, status: "running" })
    const calls = env.calls.length
    const second = await up(env.session(), program, first)
    assert.deepStrictEqual(second, first)
    assert.deepStrictEqual(env.calls.slice(calls), [])
    assert.strictEqual(env.count("create"), 1)
  })

  it("requests the list of purchases once per process, before the first POST", async () => {
    const env = await Environment.make()
    await up(env.session(), program)
    assertExactlyLike(env.calls.slice(0, 4), ["whoami", "list", "dryRun 1 own key", /^create /])
  })

  it("waitFor none returns at once; running waits for the machine", async () => {
    const env = await Environment.make()
    const none = await up(env.session(), { ...program, waitFor: "none" })
    assert.notProperty(none.outputs, "ipv4")
    assert.strictEqual(none.outputs["status"], "pending")
    const running = await up(env.session(), { ...program, generation: 2, waitFor: "running" })
    assert.strictEqual(running.outputs["status"], "running")
  })

  it("the ID is saved before the wait, and the next up continues to wait", async () => {
    const env = await Environment.make()
    const slow = { ...program, timeouts: { create: "30s" } }
    const first = await up(env.session(), slow)
    assertLike(first, { id: "1", outputs: { status: "provisioning", purchaseKey: isText } })
    assertExactlyLike(first.reasons, [containing("web: instance 1 was created but is not ready yet")])
    assert.include(first.reasons[0], "It is paid for and will not be charged again")
    const second = await up(env.session(), slow, first)
    assertLike(second, { id: "1", reasons: [], outputs: { ipv4: "198.18.0.1", chargeAmount: 4.99 } })
    assert.strictEqual(env.count("create"), 1)
  })

  it("a refused key, a lost connection or a rate limit while waiting never loses the id", async () => {
    const env = await Environment.make()
    env.faults.fail("get", apiError(429, "slow down", { retryAfter: 5 }))
    env.faults.fail("get", noAnswer())
    env.faults.fail("get", apiError(401, "revoked"))
    const first = await up(env.session(), program)
    assertLike(first, {
      id: "1",
      reasons: [containing("the API key was rejected (401): revoked")]
    })
    assert.deepStrictEqual((await up(env.session(), program, first)).reasons, [])
  })

  it("provisioning that failed was refunded: no id, and the error says what to do", async () => {
    const env = await Environment.make()
    const session = env.session()
    const inputs = await check(session, undefined, program)
    const creating = instanceLifecycle.create(session, inputs)
    assert.include(
      (await rejection(Promise.all([creating, failWhenBought(env)]))).message,
      "web: instance 1 could not be provisioned, and the purchase was refunded. Set generation: 2"
    )
    assert.include((await rejection(check(env.session(), undefined, program))).message, "Set generation: 2")
    assert.strictEqual((await up(env.session(), { ...program, generation: 2 })).id, "2")
  })

  it("an error of the purchase says whether it was charged", async () => {
    const env = await Environment.make()
    env.faults.fail("create", apiError(402, "the wallet is empty"))
    assert.include(
      (await rejection(up(env.session(), program))).message,
      "web: the service returned 402: the wallet is empty. Nothing was bought or charged."
    )
    env.faults.fail("create", noAnswer(), true)
    assert.include(
      (await rejection(up(env.session(), program))).message,
      "it looks for the purchase first and never buys twice"
    )
    assertLike(await up(env.session(), program), { id: "1", reasons: [] })
    assert.closeTo(await env.wallet(), 95.01, 0.005)
  })
})

const failWhenBought = async (env: Environment): Promise<void> => {
  while (env.count("create") === 0 || env.count("get") === 0) await new Promise((resolve) => setImmediate(resolve))
  env.override(1, { status: "failed" })
}

describe("buying again under the same name", () => {
  it("after a crash it is the same server and one charge", async () => {
    const env = await Environment.make()
    await crashedUp(env)
    const after = await up(env.session(), program)
    assertLike(after, { id: "1", reasons: [], outputs: { currency: "EUR" } })
    assert.strictEqual(env.count("create"), 0)
    assert.isTrue(env.said("by an earlier run; continuing with it, nothing is charged"))
  })

  it("on a host that shows no digest the idempotency key finds it", async () => {
    const env = await Environment.make()
    env.shows = false
    await crashedUp(env)
    assertLike(await up(env.session(), program), { id: "1", reasons: [] })
    assert.strictEqual(env.count("create"), 1)
    assert.closeTo(await env.wallet(), 95.01, 0.005)
  })

  it("a corrected hostname is applied, also where the service doesn't show the old one", async () => {
    for (const shows of [true, false]) {
      const env = await Environment.make()
      env.shows = shows
      await crashedUp(env)
      const after = await up(env.session(), { ...program, hostname: "www.example.com" })
      assertLike(after, { id: "1", reasons: [], outputs: { hostname: "www.example.com" } })
      assert.strictEqual(env.count("hostname 1 www.example.com"), 1)
    }
  })

  it("another plan means a resize, whose charge the preview shows once the instance is deployed", async () => {
    const env = await Environment.make()
    await crashedUp(env)
    await check(env.session(), undefined, { ...program, serviceId: 2 })
    assert.strictEqual(
      env.lines.at(-1),
      "warning web: the charge for resizing instance 1 to plan 2 is not available while it is provisioning; the update "
        + "checks it before the resize"
    )
    assertLike(await up(env.session(), { ...program, serviceId: 2, maxCharge: 4.99 }), {
      reasons: [containing("the charge of 5.00 EUR exceeds maxCharge 4.99 EUR. Nothing was charged")]
    })
    const after = await up(env.session(), { ...program, serviceId: 2 })
    assertLike(after, {
      id: "1",
      reasons: [],
      outputs: { serviceId: 2, status: "running", chargeAmount: 4.99 }
    })
    assert.isTrue(env.said("info web: resizing instance 1 from plan 1 (VPS S) to 2 (VPS M) charges 5.00 EUR now"))
    assert.strictEqual(env.count("create"), 0)
    assert.closeTo(await env.wallet(), 90.01, 0.005)
  })

  it("another system needs allowDataLoss, in the preview and where only the update finds out", async () => {
    const other = { ...program, os: "debian-13" }
    const env = await Environment.make()
    await crashedUp(env)
    assert.include(
      (await rejection(up(env.session(), other))).message,
      "changing os from debian-12 to debian-13 reinstalls instance 1"
    )
    assertLike(await up(env.session(), { ...other, allowDataLoss: true }), {
      reasons: [],
      outputs: { os: "debian-13" }
    })
    // With this system, and without a key.
    assert.deepStrictEqual(env.calls.filter((call) => call.startsWith("reinstall")), [
      "reinstall 1 {\"os\":\"debian-13\"}"
    ])
    assertLike((await env.tasks()).filter(({ type }) => type === "reinstall"), [{ status: "succeeded" }])
  })

  it("a replay's charge is the order's price less its coupon, or unknown without an order", async () => {
    for (const [discount, charge] of [[0, 4.99], [0.5, 4.49], [undefined, undefined]] as const) {
      const env = await Environment.make()
      env.discount = discount
      await crashedUp(env)
      assert.strictEqual((await up(env.session(), program)).outputs["chargeAmount"], charge)
    }
  })

  it("a changed SSH key waits for the next reinstall; a changed password is a warning", async () => {
    const env = await Environment.make()
    env.shows = false
    await crashedUp(env, { ...program, rootPassword: "first-password", sshPublicKey: SSH_KEY })
    const after = await up(env.session(), {
      ...program,
      rootPassword: "other-password",
      sshPublicKey: OTHER_SSH_KEY
    })
    assertLike(after.outputs, { pendingSshKey: OTHER_SSH_KEY })
    assert.notProperty(after.outputs, "sshPublicKey")
    assert.isTrue(env.said("warning web: instance 1 was bought with another rootPassword"))
  })

  it("after a reinstall the installed key is unknown: the program's waits for the next one", async () => {
    const env = await Environment.make()
    const keyed = { ...program, sshPublicKey: SSH_KEY }
    const first = await up(env.session(), keyed)
    await up(env.session(), { ...keyed, os: "debian-13", allowDataLoss: true }, first)
    const again = await up(env.session(), { ...keyed, os: "debian-13" })
    assertLike(again.outputs, { pendingSshKey: SSH_KEY, os: "debian-13" })
    assert.notProperty(again.outputs, "sshPublicKey")
  })

  it("a server that a destroy had stopped is started again", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    await instanceLifecycle.delete(env.session({}, { VPS_DELETION_POLICY: "stop" }), first.id, first.outputs)
    assertLike(await up(env.session(), program), { id: "1", reasons: [], outputs: { status: "running" } })
    assert.strictEqual(env.count("start 1"), 1)
  })

  it("a purchase older than 24 hours is not taken silently, and the preview says so", async () => {
    const env = await Environment.make()
    await crashedUp(env)
    await env.advance(DAY + 1)
    const refusal =
      "bought instance 1 on 2026-03-01T12:00:00.000Z. Set adoptInstanceId: 1 to adopt it, or generation: 2 to buy"
    assert.include((await rejection(check(env.session(), undefined, program))).message, refusal)
    env.shows = false
    assert.include((await rejection(up(env.session(), program))).message, refusal)
    assertLike(await up(env.session(), { ...program, adoptInstanceId: 1 }), { id: "1", reasons: [] })
    assertLike(await up(env.session(), { ...program, generation: 2 }), { id: "2", reasons: [] })
  })

  it("a replacement that no input requires says its cause: a taint, --replace or replaceOnChanges", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const replaced = async () => {
      const session = env.session()
      await check(session, first.inputs, program)
      return await check(session, undefined, program)
    }
    assertLike(await replaced(), { __purchaseKey: first.inputs["__purchaseKey"] })
    await env.advance(DAY + 1)
    assert.include(
      (await rejection(replaced())).message,
      "no changed input replaces instance 1, bought on 2026-03-01T12:00:00.000Z, but the resource is tainted, or "
        + "--replace or the option replaceOnChanges names it"
    )
  })

  it("a member of a fleet that grows again has its generation in the configuration", async () => {
    const env = await Environment.make()
    await up(env.session(), program)
    await env.advance(DAY + 1)
    assert.include(
      (await rejection(check(env.session(), undefined, program))).message,
      `for one of a fleet: \`pulumi config set --path 'vps:generations["web"]' 2\``
    )
    const configured = { generations: JSON.stringify({ web: 2, other: 5 }) }
    const again = await up(env.session(configured), program)
    assertLike(again, { id: "2", inputs: { generation: 2 } })
    assertLike(await up(env.session(configured), program, again), { id: "2", inputs: again.inputs })
    // The program's own value comes first, and an adopted instance belongs to none.
    assertLike(await check(env.session(configured), undefined, { ...program, generation: 3 }), {
      generation: 3
    })
    const adopted = await check(env.session(configured), undefined, { ...program, adoptInstanceId: 1 })
    assert.isUndefined(adopted["generation"])
  })

  it("24 hours to the millisecond are still a retry", async () => {
    const env = await Environment.make()
    await crashedUp(env)
    await env.advance(DAY)
    assertLike(await up(env.session(), program), { id: "1", reasons: [] })
  })

  it("a rename with an alias keeps the key, so nothing is bought", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), program)
    const renamed = { ...program, __urn: "urn:pulumi:prod::shop::vps:index:Instance::frontend" }
    const second = await up(env.session(), renamed, first)
    assert.strictEqual(second.inputs["__purchaseKey"], first.inputs["__purchaseKey"])
    assert.strictEqual(second.id, "1")
  })
})
