import { assert, describe, it } from "vitest"
import { UserError } from "#provider/api/Errors"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { diffAttached } from "#provider/attached/Attached"
import { REVERSE_DNS } from "#provider/reverse-dns/Definition"
import { reverseDnsLifecycle } from "#provider/reverse-dns/ReverseDns"
import { Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"

const URN = "urn:pulumi:prod::shop::vps:index:ReverseDns::web"
const record: Properties = { instanceId: "1", ip: "198.18.0.1", ptr: "web.example.com", __urn: URN }

const made = async (env: Environment, more: Properties = {}) =>
  await reverseDnsLifecycle.create(env.session(), { ...record, ...more })

describe("ReverseDns", () => {
  it.each<[string, Properties, ReadonlyArray<string>]>([
    ["nothing", {}, []],
    ["a number for the same instance", { instanceId: 1 }, []],
    ["ptr", { ptr: "www.example.com" }, []],
    ["onDelete", { onDelete: "keep" }, []],
    ["ip", { ip: "198.18.0.9" }, ["ip"]],
    ["the address of another family", { ip: "2001:db8::1" }, ["ip"]],
    ["instanceId", { instanceId: "2" }, ["instanceId"]],
    ["an unknown ip", { ip: UNKNOWN }, []],
    ["an unknown instance", { instanceId: UNKNOWN }, ["instanceId"]]
  ])("a change of %s", (_, change, replaces) => {
    assert.deepStrictEqual(diffAttached(REVERSE_DNS, record, { ...record, ...change }).replaces, replaces)
  })
  it.each(["2001:DB8::1", "2001:db8:0:0:0:0:0:1", "2001:0db8::0001"])(
    "is the record of %s in any spelling",
    async (ip) => {
      const v6 = { ...record, ip: "2001:db8::1" }
      assert.deepStrictEqual(diffAttached(REVERSE_DNS, v6, { ...v6, ip }).changed, [])
      const env = await Environment.make()
      const session = env.session()
      await reverseDnsLifecycle.check(session, undefined, { ...v6, __urn: `${URN}-2` })
      const { failures } = await reverseDnsLifecycle.check(session, undefined, { ...v6, ip })
      assert.include(failures[0]?.reason, "two resources cannot share it")
      // `up --replace` with another spelling sets the record and then deletes the old one: it must not be reset.
      session.retain("1/2001:db8::1", URN)
      await reverseDnsLifecycle.delete(session, `1/${ip}`, { ...v6, ip, onDelete: { resetTo: "static.example.net" } })
      assert.strictEqual(env.count("rdns"), 0)
    }
  )
  it.each<[string, Properties, string]>([
    ["no address", { ip: undefined }, "ip is missing"],
    ["a name in place of an address", { ip: "web.example.com" }, "ip must be an IPv4 or IPv6 address"],
    ["no instance", { instanceId: "web" }, "instanceId must be the id of an instance"],
    ["a choice that is none", { onDelete: "drop" }, "onDelete must be \"keep\" or {resetTo"],
    ["an empty name to reset to", { onDelete: { resetTo: "" } }, "onDelete resetTo must have 1 to 253 characters"]
  ])("%s fails the check", async (_, change, reason) => {
    const { failures } = await reverseDnsLifecycle.check((await Environment.make()).session(), undefined, {
      ...record,
      ...change
    })
    assert.include(failures.map((failure) => `${failure.property} ${failure.reason}`).join(), reason)
  })
  it("what is unknown in a preview is not judged", async () => {
    const unknown = { ...record, ip: UNKNOWN, instanceId: UNKNOWN }
    assert.deepStrictEqual(
      (await reverseDnsLifecycle.check((await Environment.make()).session(), undefined, unknown)).failures,
      []
    )
  })
  it("is set when it is made, also on a server that is still busy, and changed in place", async () => {
    const env = await Environment.withInstance()
    env.faults.fail("rdns", apiError(409, "busy with another task (provision)", { retryAfter: 2 }))
    const { id, outputs } = await made(env)
    assert.deepStrictEqual({ id, userId: outputs["userId"] }, { id: "1/198.18.0.1", userId: 1 })
    assert.strictEqual(env.rdns.get("198.18.0.1"), "web.example.com")
    await reverseDnsLifecycle.update(env.session(), id, outputs, { ...record, ptr: "www.example.com" })
    assert.strictEqual(env.rdns.get("198.18.0.1"), "www.example.com")
  })
  it("a changed setting alone calls nothing", async () => {
    const env = await Environment.withInstance()
    const { id, outputs } = await made(env)
    await reverseDnsLifecycle.update(env.session(), id, outputs, { ...record, onDelete: { resetTo: "a.example" } })
    assert.strictEqual(env.count("rdns"), 1)
  })
  it("keep warns that the name stays; resetTo sets another one", async () => {
    const env = await Environment.withInstance()
    const { id, outputs } = await made(env)
    await reverseDnsLifecycle.delete(env.session(), id, outputs)
    assert.isTrue(env.said("warning web: the API cannot remove PTR records, so 198.18.0.1 keeps its record"))
    const resetting = { ...outputs, onDelete: { resetTo: "static.example.net" } }
    await reverseDnsLifecycle.delete(env.session(), id, resetting)
    assert.strictEqual(env.rdns.get("198.18.0.1"), "static.example.net")
    // It may be a secret.
    assert.isFalse(env.said("static.example.net"))
  })
  it("with the server gone it is gone; with another account's key it is not", async () => {
    const env = await Environment.withInstance()
    const { id, outputs } = await made(env, { onDelete: { resetTo: "static.example.net" } })
    assert.deepStrictEqual((await reverseDnsLifecycle.read(env.session(), id, outputs))?.inputs, {
      ...record,
      onDelete: { resetTo: "static.example.net" }
    })
    await env.useOtherAccount()
    assert.include(
      (await rejection(reverseDnsLifecycle.read(env.session(), id, outputs))).message,
      "but the API key belongs to account 2"
    )
    env.useOwnAccount()
    env.override(1, { status: "deleted" })
    assert.isUndefined(await reverseDnsLifecycle.read(env.session(), id, outputs))
    assert.isUndefined(await reverseDnsLifecycle.delete(env.session(), id, outputs))
    assert.instanceOf(await rejection(made(env)), UserError)
  })
  it("a destroy that refreshes first resets it: its diff has planned nothing", async () => {
    const env = await Environment.withInstance()
    const { id, outputs } = await made(env, { onDelete: { resetTo: "static.example.net" } })
    const session = env.session()
    const seen = await reverseDnsLifecycle.read(session, id, outputs)
    await reverseDnsLifecycle.diff(session, id, outputs, seen?.inputs ?? {})
    await reverseDnsLifecycle.delete(session, id, outputs)
    assert.strictEqual(env.rdns.get("198.18.0.1"), "static.example.net")
  })
  it("`up --replace` sets it and does not reset it afterwards", async () => {
    const env = await Environment.withInstance()
    const session = env.session()
    const inputs = { ...record, onDelete: { resetTo: "static.example.net" } }
    const { id, outputs } = await reverseDnsLifecycle.create(session, inputs)
    await reverseDnsLifecycle.delete(session, id, outputs)
    assert.strictEqual(env.rdns.get("198.18.0.1"), "web.example.com")
  })
})
