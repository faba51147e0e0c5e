/** A user's vitest file: copied into their folder as `script.test.ts`. */
import { PaymentRequiredError } from "@pulumi-vps/sdk"
import { type RunningEmulator, startEmulator } from "@pulumi-vps/testing"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"

let emulator: RunningEmulator

beforeAll(async () => {
  emulator = await startEmulator({ seed: { wallet: 10, deploy: { mode: "instant" } } })
})
beforeEach(() => emulator.reset())
afterEach(() => vi.useRealTimers())
afterAll(() => emulator.stop())

test("buys", async () => {
  const instance = await emulator.client().instances.createAndWait({ service_id: 1 })
  expect(instance.status).toBe("running")
})

test("knows the errors of the client that the script imports", async () => {
  await emulator.wallet.set(0)
  await expect(emulator.client().instances.create({ service_id: 1 })).rejects.toBeInstanceOf(PaymentRequiredError)
})

test("continues with the test's fake timers", async () => {
  vi.useFakeTimers()
  const { id } = await emulator.client().instances.create({ service_id: 1 })
  await emulator.clock.advance("31 days")
  expect((await emulator.client().instances.get(id)).status).toBe("running")
  expect((await emulator.wallet.statement()).balance).toBe(0.02)
})
