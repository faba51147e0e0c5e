import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { DAY, Environment } from "../Environment.ts"
import { check, engineFor, type Stored, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com" }
const FRONTEND = URN.replace("::web", "::frontend")
const frontend = engineFor(instanceLifecycle, FRONTEND)

const CONNECTION = { VPS_API_KEY: "vps_live_key", VPS_BASE_URL: "https://api.example.com/api/v1" }
/** Observed at that service with another key. */
const HERE = `${CONNECTION.VPS_BASE_URL}#0`

const holding = (...stored: ReadonlyArray<readonly [string, Stored]>) => ({
  source: "stack prod",
  held: stored.map(([urn, { id, outputs }]) => ({ urn, id: Number(id), user_id: 1, facts: outputs })),
  pending: []
})

const bought = async (): Promise<{ env: Environment; web: Stored }> => {
  const env = await Environment.make()
  const web = await up(env.session(), program)
  env.state = holding([URN, web])
  env.lines.length = 0
  return { env, web }
}

describe("an instance that was renamed in the program", () => {
  it("is recognized in the preview by its host name, which shows the option to add", async () => {
    const { env } = await bought()
    await frontend.check(env.session(), undefined, { ...program, hostname: "WEB.example.com" })
    assert.isTrue(env.said(
      "warning frontend: instance 1 has the same host name, and unless the program still has web, it is about to be "
        + "deleted by this update, after frontend has bought another instance. If web was renamed to frontend, or "
        + `moved into a component, add this option to frontend: aliases: [{ name: "web" }]`
    ))
  })
  it("is named by the refusal to delete it, with the way to keep it", async () => {
    const { env, web } = await bought()
    const session = env.session()
    const second = await frontend.up(session, program)
    env.state = holding([URN, web], [FRONTEND, second])
    assert.include(
      (await rejection(instanceLifecycle.delete(session, web.id, web.outputs))).message,
      "frontend (instance 2) has the same host name. If web was renamed to frontend, or moved into a component, and "
        + "should keep instance 1: run `pulumi state delete` with the URN of frontend (`pulumi stack --show-urns` "
        + "shows it), and add this option to frontend: "
        + `aliases: [{ name: "web" }]. Instance 2 stays in the account and is paid for.`
    )
  })
})

describe("an instance that was moved into a component", () => {
  it("needs the parent that it had", async () => {
    const { env } = await bought()
    const moved = engineFor(instanceLifecycle, URN.replace("::vps:", "::shop:Front$vps:"))
    await moved.check(env.session(), undefined, program)
    assert.isTrue(env.said("this option to web: aliases: [{ name: \"web\", parent: pulumi.rootStackResource }]"))
  })
})

describe("an instance that got another name in the state", () => {
  const DYNAMIC = FRONTEND.replace("vps:index:Instance", "pulumi-nodejs:dynamic/vps:Instance")

  it.each([FRONTEND, DYNAMIC])("is not taken by the resource of its first name (%s)", async (urn) => {
    const { env, web } = await bought()
    env.state = holding([urn, web])
    assert.include(
      (await rejection(up(env.session(), program))).message,
      "instance 1, which this name bought, is managed by frontend in the state of this stack. If frontend was renamed "
        + "to web, add this option to web: aliases: [{ name: \"frontend\" }]. Otherwise: Set generation: 2 to buy"
    )
    assertLike(await up(env.session(), { ...program, generation: 2 }), { id: "2" })
  })
  it("is continued with where the state is not available, which is said once", async () => {
    const { env } = await bought()
    env.state = new Error("pulumi: not found")
    assertLike(await up(env.session(), program), { id: "1" })
    assert.lengthOf(
      env.lines.filter((line) => line.includes("whether another resource of the stack manages instance 1")),
      1
    )
  })
})

describe("an instance that another stack holds since this one got its name", () => {
  const RENAMED = URN.replace(":prod::", ":live::")
  const stackOf = (urn: string, facts: object, id = 1, user_id = 1) => ({
    source: "stack live",
    held: [{ urn, id, user_id, facts: { ...facts } }],
    pending: []
  })

  /** Instance 1 was bought under this name, and the state is empty. */
  const orphaned = async () => {
    const { env, web: { outputs } } = await bought()
    env.state = holding()
    return { env, outputs }
  }

  it("is refused in the preview and in the update, and the refusal names the stack and the ways out", async () => {
    const { env, outputs } = await orphaned()
    env.otherStates.set("live", stackOf(RENAMED, outputs))
    const refusal =
      "instance 1, which this name bought on 2026-03-01T12:00:00.000Z, is managed by web of stack live. Two "
      + "stacks must never manage one instance. Set another vps:idempotencyScope in this stack to buy another one, or, "
      + "to have instance 1 in this stack, run `pulumi state delete` with the URN of web (`pulumi stack --show-urns` "
      + "shows it) in stack live. Nothing was charged"
    assert.include((await rejection(check(env.session(), undefined, program))).message, refusal)
    const unchecked = { ...program, __urn: URN, __purchaseKey: outputs["purchaseKey"] }
    assert.include((await rejection(instanceLifecycle.create(env.session(), unchecked))).message, refusal)
    assertLike(await up(env.session({ idempotencyScope: "new" }), program), { id: "2" })
  })
  it("is refused also where the other stack adopted it, or has another project", async () => {
    const { env, outputs } = await orphaned()
    const adopted = { ...outputs, purchaseKey: "", __service: HERE }
    env.otherStates.set("live", stackOf(RENAMED.replace("::shop::", "::blog::"), adopted))
    const session = env.session({}, CONNECTION)
    assert.include(
      (await rejection(check(session, undefined, program))).message,
      "is managed by web of stack live of project blog. Two stacks"
    )
  })
  it("is continued with where the other has another instance of the same number", async () => {
    const { env, outputs } = await orphaned()
    const other = { ...outputs, purchaseKey: "pulumi-other", __service: HERE }
    env.otherStates.set("a", stackOf(RENAMED, { ...other, __service: "https://other.example.com/api/v1#0" }))
    env.otherStates.set("b", stackOf(RENAMED, other, 1, 2))
    env.otherStates.set("c", stackOf(RENAMED, other, 2))
    env.otherStates.set("prod", stackOf(URN, outputs))
    assertLike(await up(env.session({}, CONNECTION), program), { id: "1" })
    assert.strictEqual(env.listedSince, env.now - 2 * DAY)
  })
  it.each(["CI", "JENKINS_URL"])("is refused in CI (%s) where the stacks are not known", async (variable) => {
    const { env } = await orphaned()
    const unattended = { [variable]: "true" }
    env.otherStates.set("live", new Error("stack live cannot be exported: denied"))
    const refusal =
      "whether another stack manages instance 1, which this name bought on 2026-03-01T12:00:00.000Z, is not "
      + "known: stack live cannot be exported: denied. In continuous integration, nothing is taken unseen. Put the "
      + "`pulumi` command on PATH, or set adoptInstanceId: 1 to continue with it, or another vps:idempotencyScope"
    assert.include((await rejection(check(env.session({}, unattended), undefined, program))).message, refusal)
    env.state = new Error("pulumi: not found")
    assert.include((await rejection(check(env.session({}, unattended), undefined, program))).message, "not found. In")
    assertLike(await up(env.session({}, { [variable]: "false" }), program), { id: "1" })
    assertLike(await up(env.session({}, unattended), { ...program, adoptInstanceId: 1 }), { id: "1" })
  })
})

describe("no rename is suspected", () => {
  const warned = (env: Environment): boolean => env.said("has the same host name")
  it("of an instance that the program still has", async () => {
    const { env, web } = await bought()
    const session = env.session()
    await up(session, program, web)
    await frontend.check(session, undefined, program)
    assert.isFalse(warned(env))
  })
  it("with another host name, or without one", async () => {
    const { env } = await bought()
    await frontend.check(env.session(), undefined, { ...program, hostname: "www.example.com" })
    await frontend.check(env.session(), undefined, { serviceId: 1 })
    assert.isFalse(warned(env))
  })
  it("of an instance that is not in this stack", async () => {
    const { env } = await bought()
    env.state = holding()
    await frontend.check(env.session(), undefined, program)
    assert.isFalse(warned(env))
  })
  it("in the refusal to delete an instance that no other has the name of", async () => {
    const { env, web } = await bought()
    const failure = instanceLifecycle.delete(env.session(), web.id, web.outputs)
    assert.include((await rejection(failure)).message, "web: instance 1 was not destroyed or changed")
    assert.notInclude((await rejection(failure)).message, "has the same host name")
  })
})
