import { assert, describe, it } from "vitest"
import { validateInputs } from "#provider/definition/Definition"
import { INSTANCE } from "#provider/instance/Definition"
import { PULUMI } from "#provider/HostWords"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { assertExactlyLike, containing } from "../../support/like.ts"

const problems = (inputs: Properties) =>
  validateInputs(INSTANCE, { serviceId: 1, ...inputs }, PULUMI).map(({ property, reason }) => `${property}: ${reason}`)

describe("the form of an Instance's inputs", () => {
  it.each<[string, unknown, unknown]>([
    ["serviceId", 1, 0],
    ["serviceId", 9_007_199_254_740_991, 1.5],
    ["hostname", "x", ""],
    ["hostname", "x".repeat(253), "x".repeat(254)],
    ["os", "x".repeat(64), "x".repeat(65)],
    ["sshPublicKey", "x".repeat(4096), "x".repeat(4097)],
    ["couponCode", "🎁".repeat(64), "🎁".repeat(65)],
    ["adoptInstanceId", 1, "1"],
    ["generation", 1, 0],
    ["deletionPolicy", "stop", "delete"],
    ["waitFor", "running", true],
    ["maxCharge", 0, -1],
    ["maxCharge", 4.99, "4.99"],
    ["timeouts", { create: "1h30m", update: "90s", delete: "500ms" }, { create: "5" }],
    ["timeouts", {}, { read: "5s" }],
    ["timeouts", { create: "1s" }, "10m"],
    ["powerState", "off", "stopped"],
    ["bootMode", "rescue", "iso"],
    ["isoId", 1, 0],
    ["allowDataLoss", true, "true"],
    ["reinstallTriggers", ["v2", 3, { a: null }], "v2"],
    ["passwordRotation", "2026-11", 2],
    ["snapshotBefore", "x".repeat(55), "x".repeat(56)]
  ])("%s takes %j and refuses %j", (name, right, wrong) => {
    assert.deepStrictEqual(problems({ [name]: right }), [])
    assertExactlyLike(problems({ [name]: wrong }), [new RegExp(`^${name}: ${name} `)])
  })
  it("a password of 8 to 20 characters; its problem names no property, so that the engine prints no value", () => {
    assert.deepStrictEqual(problems({ rootPassword: "12345678" }), [])
    assert.deepStrictEqual(problems({ rootPassword: "x".repeat(20) }), [])
    for (const wrong of ["1234567", "x".repeat(21)]) {
      assert.deepStrictEqual(problems({ rootPassword: wrong }), [": rootPassword must have 8 to 20 characters"])
    }
  })
  it("absent, null, and unknown are valid except for required inputs", () => {
    const names = Object.keys(INSTANCE.inputs)
    for (const value of [undefined, null]) {
      assert.deepStrictEqual(problems(Object.fromEntries(names.map((name) => [name, value]))), [
        ": serviceId is missing: the plan to buy (GET /services lists the plans). Or set plan, such as \"vps-s\""
      ])
    }
    assert.deepStrictEqual(problems(Object.fromEntries(names.map((name) => [name, UNKNOWN]))), [])
  })
  it("an adoption without a plan needs the plan of the instance, not one to buy", () => {
    const { serviceId: _, ...inputs } = { serviceId: 1, adoptInstanceId: 7 }
    const [problem] = validateInputs(INSTANCE, inputs, PULUMI).map(({ reason }) => reason)
    assert.match(problem!, /^serviceId is missing: the plan that the adopted instance has, because another one would/)
  })
  it("an unknown name is rejected with the list of the known ones", () => {
    assertExactlyLike(problems({ hostnme: "x" }), [
      containing("hostnme is not an input of this resource; its inputs are serviceId")
    ])
  })
})
