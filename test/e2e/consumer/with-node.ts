/** A user's node:test file, as an ES module. */
import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { startEmulator } from "@pulumi-vps/testing"

test("buys", async () => {
  await using emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
  const instance = await emulator.client().instances.createAndWait({ service_id: 1 })
  assert.equal(instance.status, "running")
})

test("starts, works, and stops with the test's fake timers", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"] })
  const emulator = await startEmulator()
  await emulator.client().instances.create({ service_id: 1 })
  await emulator.clock.advance("31 days")
  assert.equal((await emulator.wallet.statement()).balance, 990.02)
  await emulator.stop()
  mock.timers.reset()
})
