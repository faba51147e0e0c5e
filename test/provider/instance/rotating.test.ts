import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Stored, up } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { assertLike } from "../../support/like.ts"

/** As the service makes them. */
const FRESH = /^\w{20}$/
const program = { serviceId: 1, rootPassword: "first-password" }
const bought = async (more: Record<string, unknown> = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  return { env, first: await up(env.session(), { ...program, ...more }) }
}

describe("a password rotation", () => {
  const next = { ...program, passwordRotation: "1" }
  it("a rotation at the purchase is only recorded", async () => {
    const { first, env } = await bought({ passwordRotation: "1" })
    assertLike(first.outputs, { rootPassword: "first-password", passwordRotation: "1" })
    assert.strictEqual(env.count("resetPassword"), 0)
  })
  it("sets a new one, which is an output; the program's stays an input, and nothing differs", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), next, first)
    assertLike(second.outputs, { rootPassword: FRESH, passwordRotation: "1" })
    assert.deepStrictEqual(await up(env.session(), next, second), second)
    const seen = await instanceLifecycle.read(env.session(), second.id, second.outputs)
    assert.deepStrictEqual(seen?.outputs, second.outputs)
    assert.deepStrictEqual(seen?.inputs, second.inputs)
    const third = await up(env.session(), { ...next, passwordRotation: "2" }, { ...second, ...seen! })
    assert.match(String(third.outputs["rootPassword"]), FRESH)
    assert.notStrictEqual(third.outputs["rootPassword"], second.outputs["rootPassword"])
  })
  it("never logs it", async () => {
    const { first, env } = await bought()
    const { outputs } = await up(env.session(), next, first)
    assert.isFalse(env.said(String(outputs["rootPassword"])))
    assert.isFalse(env.said("first-password"))
  })
  it("is never repeated: a lost response is reported, and the state has no password", async () => {
    for (const error of [noAnswer(), apiError(502, "upstream")]) {
      const { first, env } = await bought()
      env.faults.fail("resetPassword", error, true)
      const second = await up(env.session(), next, first)
      assertLike(second, { reasons: [], outputs: { passwordRotation: "1" } })
      assert.notProperty(second.outputs, "rootPassword")
      assert.isTrue(env.said("the response with it was lost. The service sent a copy"))
      assert.deepStrictEqual(await up(env.session(), next, second), second)
      assert.strictEqual(env.count("resetPassword"), 1)
    }
  })
  it("that did not reach the service is reported, and left to the next up", async () => {
    const { first, env } = await bought()
    env.faults.fail("resetPassword", apiError(502, "upstream"))
    const second = await up(env.session(), next, first)
    assert.include(second.reasons[0], "According to the activity feed, no password was set")
    assert.strictEqual(second.outputs["rootPassword"], "first-password")
    assert.match(String((await up(env.session(), next, second)).outputs["rootPassword"]), FRESH)
  })
  it("is remembered when the server is bought again by name: the password of the order is no longer set", async () => {
    const { first, env } = await bought()
    assert.strictEqual((await up(env.session(), program)).outputs["rootPassword"], "first-password")
    await up(env.session(), next, first)
    const again = await up(env.session(), program)
    assertLike(again, { id: "1", reasons: [], outputs: { __rootPassword: "first-password" } })
    assert.notProperty(again.outputs, "rootPassword")
    assert.deepStrictEqual(await up(env.session(), program, again), again)
  })
  it("waits while the server is busy", async () => {
    const { first, env } = await bought()
    env.faults.fail("resetPassword", apiError(409, "busy with another task (resize)", { retryAfter: 3 }))
    assert.match(String((await up(env.session(), next, first)).outputs["rootPassword"]), FRESH)
  })
})
