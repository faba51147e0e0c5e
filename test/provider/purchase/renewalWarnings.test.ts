import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { type Stored, up, URN } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const DAY = 86_400_000
const named = (name: string) => ({ serviceId: 1, __urn: `${URN}-${name}` })

const bought = async (...names: ReadonlyArray<string>): Promise<{ env: Environment; stored: Array<Stored> }> => {
  const env = await Environment.make()
  const stored: Array<Stored> = []
  for (const name of names) stored.push(await up(env.session(), named(name)))
  env.calls.length = 0
  env.lines.length = 0
  return { env, stored }
}

/** So long before the end of the contracts. */
const before = (env: Environment, days: number): Promise<void> =>
  env.advance(Date.parse("2026-04-01T12:00:00.000Z") - days * DAY - env.now)

const compare = async (session: Session, stored: ReadonlyArray<Stored>): Promise<void> => {
  for (const { id, inputs, outputs } of stored) await instanceLifecycle.diff(session, id, outputs, inputs)
}

describe("a contract that ends soon", () => {
  it("is not requested more than 7 days before", async () => {
    const { stored, env } = await bought("a", "b")
    await before(env, 7.1)
    await compare(env.session(), stored)
    assert.deepStrictEqual(env.calls, [])
    assert.deepStrictEqual(env.lines, [])
  })
  it("is fine while the wallet covers the renewals: one list and one dry run for all", async () => {
    const { stored, env } = await bought("a", "b", "c")
    await before(env, 6.9)
    await compare(env.session(), stored)
    assert.deepStrictEqual(env.calls, ["list", "dryRun 1"])
    assert.deepStrictEqual(env.lines, [])
  })
  it("is warned of once when the wallet does not cover all renewals", async () => {
    const { stored, env } = await bought("a", "b", "c")
    await env.emulator.wallet.set(8)
    await before(env, 3)
    await compare(env.session(), stored)
    assert.deepStrictEqual(env.lines, [
      "warning the wallet balance is 8.00 EUR, but the renewals of the next 7 days cost at least 9.98 EUR "
      + "(web-a, web-b). Top up the wallet, or they expire"
    ])
  })
  it("is warned of when it does not renew itself", async () => {
    const { stored, env } = await bought("a")
    env.override(1, { auto_renew: false })
    await before(env, 3)
    await compare(env.session(), stored)
    assert.isTrue(env.said("warning web-a: instance 1 is paid until 2026-04-01T12:00:00.000Z and does not renew"))
  })
  it("that was renewed meanwhile is none: what the state holds may be old", async () => {
    const { stored, env } = await bought("a")
    await env.emulator.wallet.set(0)
    await before(env, 3)
    env.override(1, { expires_at: "2026-05-01T12:00:00.000Z" })
    await compare(env.session(), stored)
    assert.deepStrictEqual(env.lines, [])
  })
  it("is also shown by a refresh, and once per process", async () => {
    const { stored: [one], env } = await bought("a")
    env.override(1, { status: "expired" })
    await before(env, -1)
    const session = env.session()
    await instanceLifecycle.read(session, "1", one!.outputs)
    await instanceLifecycle.diff(session, "1", one!.outputs, one!.inputs)
    assert.deepStrictEqual(env.lines, [
      "warning web-a: instance 1 has expired. Top up the wallet to renew it, or set a new generation to buy another one"
    ])
  })
})

describe("a refresh", () => {
  it("of many reads the list once, and proves what is gone by asking for it", async () => {
    const { stored, env } = await bought("a", "b", "c")
    env.override(2, { status: "deleted" })
    const session = env.session()
    const seen = await Promise.all(stored.map(({ id, outputs }) => instanceLifecycle.read(session, id, outputs)))
    assert.deepStrictEqual(seen.map((one) => one !== undefined), [true, false, true])
    assert.deepStrictEqual(env.calls, ["list", "get 2", "whoami"])
  })
  it("that finds another plan and another system shows them, and objects to nothing", async () => {
    const env = await Environment.make()
    const program = { ...named("a"), os: "debian-12", maxCharge: 5 }
    const one = await up(env.session(), program)
    await env.outside((vps) => vps.instances.resize(1, { service_id: 3 }))
    await env.outside((vps) => vps.instances.reinstall(1, { os: "debian-13" }))
    const session = env.session()
    const seen = await instanceLifecycle.read(session, "1", one.outputs)
    assertLike(seen?.inputs, { serviceId: 3, os: "debian-13" })
    const { changed } = await instanceLifecycle.diff(session, "1", seen!.outputs, one.inputs)
    assert.deepStrictEqual(changed, ["serviceId", "os"])
    assert.include(
      (await rejection(up(env.session(), program, { ...one, ...seen! }))).message,
      "Set allowDataLoss: true"
    )
  })
  it("looks again after a while", async () => {
    const { stored: [one], env } = await bought("a")
    const session = env.session()
    await instanceLifecycle.read(session, "1", one!.outputs)
    await env.advance(5_001)
    await instanceLifecycle.read(session, "1", one!.outputs)
    assert.deepStrictEqual(env.calls, ["list", "list"])
  })
})

describe("an up of unchanged instances", () => {
  it("sends no request", async () => {
    const { stored, env } = await bought("a", "b", "c")
    const session = env.session()
    for (const [index, one] of stored.entries()) {
      const name = ["a", "b", "c"][index]!
      await instanceLifecycle.check(session, one.inputs, named(name))
    }
    await compare(session, stored)
    assert.deepStrictEqual(env.calls, [])
  })
})

describe("a key that may not do what is planned", () => {
  it("is warned of once before a purchase, with the scope, and the preview continues", async () => {
    const env = await Environment.make()
    await env.useScopes(["vps:read"])
    const session = env.session()
    for (const name of ["a", "b"]) {
      assert.deepStrictEqual((await instanceLifecycle.check(session, undefined, named(name))).failures, [])
    }
    assert.deepStrictEqual(env.lines, [
      "warning the API key has vps:read, but buying an instance needs vps:create: an update with this key will fail"
    ])
    assert.deepStrictEqual(env.calls, ["whoami", "list"])
  })
  it("is warned of before a change", async () => {
    const { stored: [one], env } = await bought("a")
    await env.useScopes(["vps:read"])
    const session = env.session()
    const { inputs } = await instanceLifecycle.check(session, one!.inputs, {
      ...named("a"),
      hostname: "www.example.com"
    })
    await instanceLifecycle.diff(session, "1", one!.outputs, inputs)
    assert.deepStrictEqual(env.lines, [
      "warning the API key has vps:read, but changing an instance needs vps:write: an update with this key will fail"
    ])
  })
  it("sends no request if nothing is planned", async () => {
    const { stored: [one], env } = await bought("a")
    await env.useScopes(["vps:read"])
    await compare(env.session(), [one!])
    assert.deepStrictEqual(env.calls, [])
  })
})
