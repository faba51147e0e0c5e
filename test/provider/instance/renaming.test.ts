import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { Environment } from "../Environment.ts"
import { engineFor, type Stored, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com" }
const FRONTEND = URN.replace("::web", "::frontend")
const frontend = engineFor(instanceLifecycle, FRONTEND)

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
