import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { PULUMI } from "#provider/HostWords"
import { refunded } from "#provider/instance/state/Messages"
import { type Stored, up, URN } from "../Runs.ts"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

describe("taking over an instance", () => {
  const taken = { serviceId: 1, hostname: "old.example.com", adoptInstanceId: 1 }
  it("buys nothing and changes nothing that agrees", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1, hostname: "old.example.com" })
    await env.advance(DEPLOY_TIME)
    const after: Stored = await up(env.session(), taken)
    assertLike(after, {
      id: "1",
      reasons: [],
      outputs: { purchaseKey: "", os: "debian-12", currency: "EUR" }
    })
    assert.deepStrictEqual(env.calls, ["list", "get 1", "dryRun 1"])
    assert.deepStrictEqual(await up(env.session(), taken, after), after)
  })
  it("unknown fields take the program's values silently; known ones are reconciled", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1, hostname: "old.example.com" })
    await env.advance(DEPLOY_TIME)
    const renamed = await up(env.session(), { ...taken, hostname: "new.example.com" })
    assert.strictEqual(renamed.outputs["hostname"], "new.example.com")
    assert.strictEqual(env.count("hostname"), 1)
    env.shows = false
    const silent = await up(env.session(), { ...taken, hostname: "other.example.com", os: "debian-13" })
    assertLike(silent, { reasons: [], outputs: { hostname: "other.example.com", os: "debian-13" } })
    assert.strictEqual(env.count("hostname"), 1)
  })
  it("one instance is not managed by two resources: the next preview is refused", async () => {
    const env = await Environment.withInstance()
    const second = URN.replace("::web", "::www")
    // The host retains what it imports: see the plugin's table.
    const web = await instanceLifecycle.import?.(env.session(), "1", URN)
    // Each was imported in a process of its own.
    const preview = env.session()
    const compare = async (urn: string): Promise<unknown> => {
      const { inputs } = await instanceLifecycle.check(preview, web?.inputs, { serviceId: 1, __urn: urn })
      return await instanceLifecycle.diff(preview, "1", { ...web?.outputs, __urn: urn }, inputs)
    }
    await compare(URN)
    assert.include((await rejection(compare(second))).message, "`pulumi state delete`")
    assert.include(
      (await rejection(up(preview, { ...taken, __urn: second }))).message,
      "instance 1 is already managed by web"
    )
  })
  it("without provisioning, the way to another one is the adoption's", () => {
    assert.include(
      refunded(PULUMI, 1, { adoptInstanceId: 1 }),
      "Remove adoptInstanceId and set generation: 2 to buy another"
    )
    assert.match(refunded(PULUMI, 1, {}), /refunded\. Set generation: 2 to buy another one$/)
  })
  it("another plan, another system or no such server is refused before anything is taken", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    assert.include(
      (await rejection(up(env.session(), { ...taken, serviceId: 2 }))).message,
      "instance 1 is on plan 1 (VPS S), but the program has plan 2. It was not adopted"
    )
    assert.include(
      (await rejection(up(env.session(), { ...taken, os: "alma-9" }))).message,
      "Set os: \"debian-12\", and change it in a later update"
    )
    assert.include(
      (await rejection(up(env.session(), { ...taken, adoptInstanceId: 9 }))).message,
      "instance 9 not found in account 1"
    )
  })
})
