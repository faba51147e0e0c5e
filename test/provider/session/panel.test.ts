/** Messages about the renewal name the panel's page of the instance, or the host where the service has no panel. */
import { assert, describe, it } from "vitest"
import { continuingCharges } from "#provider/instance/state/Messages"
import { apiError } from "../Faults.ts"
import { Environment } from "../Environment.ts"

const OUTPUTS = { autoRenew: true, expiresAt: "2026-04-01T12:00:00.000Z", billingCycle: "monthly", renewalPrice: 4.99 }

describe("the end of the charges", () => {
  it("is on the panel's page of the instance", async () => {
    const env = await Environment.make()
    const session = env.session()
    const { origin } = new URL(env.emulator.url)
    assert.include(
      continuingCharges(7, OUTPUTS, await session.panel()),
      `To end the charges, turn off auto_renew at ${origin}/panel/instances/7.`
    )
    await session.panel()
    assert.deepStrictEqual(env.calls, ["root"])
  })
  it("is with the host where the panel is unknown", async () => {
    const env = await Environment.make()
    env.faults.fail("root", apiError(404, "Path not found"))
    assert.include(
      continuingCharges(7, OUTPUTS, await env.session().panel()),
      "To end the charges, ask the host to turn off auto_renew."
    )
  })
})
