import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Stored, up } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { apiError, noAnswer } from "../Faults.ts"

/** As the service makes them. */
const FRESH = expect.stringMatching(/^\w{20}$/)
const program = { serviceId: 1, rootPassword: "first-password" }
const bought = async (more: Record<string, unknown> = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  return { env, first: await up(env.session(), { ...program, ...more }) }
}

describe("a password rotation", () => {
  const next = { ...program, passwordRotation: "1" }
  it("a rotation at the purchase is only recorded", async () => {
    const { first, env } = await bought({ passwordRotation: "1" })
    expect(first.outputs).toMatchObject({ rootPassword: "first-password", passwordRotation: "1" })
    expect(env.count("resetPassword")).toBe(0)
  })
  it("sets a new one, which is an output; the program's stays an input, and nothing differs", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), next, first)
    expect(second.outputs).toMatchObject({ rootPassword: FRESH, passwordRotation: "1" })
    expect(await up(env.session(), next, second)).toEqual(second)
    const seen = await instanceLifecycle.read(env.session(), second.id, second.outputs)
    expect(seen?.outputs).toEqual(second.outputs)
    expect(seen?.inputs).toEqual(second.inputs)
    const third = await up(env.session(), { ...next, passwordRotation: "2" }, { ...second, ...seen! })
    expect(third.outputs["rootPassword"]).toEqual(FRESH)
    expect(third.outputs["rootPassword"]).not.toBe(second.outputs["rootPassword"])
  })
  it("never logs it", async () => {
    const { first, env } = await bought()
    const { outputs } = await up(env.session(), next, first)
    expect(env.said(String(outputs["rootPassword"]))).toBe(false)
    expect(env.said("first-password")).toBe(false)
  })
  it("is never repeated: a lost response is reported, and the state has no password", async () => {
    for (const error of [noAnswer(), apiError(502, "upstream")]) {
      const { first, env } = await bought()
      env.faults.fail("resetPassword", error, true)
      const second = await up(env.session(), next, first)
      expect(second).toMatchObject({ reasons: [], outputs: { passwordRotation: "1" } })
      expect(second.outputs).not.toHaveProperty("rootPassword")
      expect(env.said("the response with it was lost. The service sent a copy")).toBe(true)
      expect(await up(env.session(), next, second)).toEqual(second)
      expect(env.count("resetPassword")).toBe(1)
    }
  })
  it("that did not reach the service is reported, and left to the next up", async () => {
    const { first, env } = await bought()
    env.faults.fail("resetPassword", apiError(502, "upstream"))
    const second = await up(env.session(), next, first)
    expect(second.reasons[0]).toContain("According to the activity feed, no password was set")
    expect(second.outputs["rootPassword"]).toBe("first-password")
    expect((await up(env.session(), next, second)).outputs["rootPassword"]).toEqual(FRESH)
  })
  it("is remembered when the server is bought again by name: the password of the order is no longer set", async () => {
    const { first, env } = await bought()
    expect((await up(env.session(), program)).outputs["rootPassword"]).toBe("first-password")
    await up(env.session(), next, first)
    const again = await up(env.session(), program)
    expect(again).toMatchObject({ id: "1", reasons: [], outputs: { __rootPassword: "first-password" } })
    expect(again.outputs).not.toHaveProperty("rootPassword")
    expect(await up(env.session(), program, again)).toEqual(again)
  })
  it("waits while the server is busy", async () => {
    const { first, env } = await bought()
    env.faults.fail("resetPassword", apiError(409, "busy with another task (resize)", { retryAfter: 3 }))
    expect((await up(env.session(), next, first)).outputs["rootPassword"]).toEqual(FRESH)
  })
})
