/** A user's node:test file, in CommonJS. */
const assert = require("node:assert/strict")
const { after, before, test } = require("node:test")
const { Vps } = require("@pulumi-vps/sdk")
const { startEmulator } = require("@pulumi-vps/testing")

/** @type {import("@pulumi-vps/testing").RunningEmulator} */
let emulator
before(async () => {
  emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
})
after(() => emulator.stop())

test("buys", async () => {
  const vps = new Vps({ baseUrl: emulator.url, apiKey: emulator.apiKey })
  assert.ok(emulator.client() instanceof Vps)
  const instance = await vps.instances.createAndWait({ service_id: 1 })
  assert.equal(instance.status, "running")
})
