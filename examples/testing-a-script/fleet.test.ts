/** `node --test fleet.test.ts`: tests the purchases and failures of the script. No account, no money. */
import assert from "node:assert/strict"
import { after, before, beforeEach, test } from "node:test"
import { PaymentRequiredError, ProvisioningFailedError, type Vps } from "@pulumi-vps/sdk"
import { type RunningEmulator, startEmulator } from "@pulumi-vps/testing"
import { ensureFleet, OverBudget } from "./fleet.ts"

const NAMES = ["web-1", "web-2", "web-3"]
const BUDGET = 15

let emulator: RunningEmulator
let vps: Vps

before(async () => {
  emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
  vps = emulator.client()
})
beforeEach(() => emulator.reset())
after(() => emulator.stop())

/** The changes of the wallet since the seed, oldest first. */
const movements = async () => {
  const { statement } = await emulator.wallet.statement()
  return statement.map(({ amount, kind }) => `${kind} ${amount}`).toReversed().slice(1)
}

test("buys an instance for each name", async () => {
  const fleet = await ensureFleet(vps, NAMES, BUDGET)
  assert.deepEqual(fleet.map(({ status }) => status), ["running", "running", "running"])
  assert.equal(new Set(fleet.map(({ ipv4 }) => ipv4)).size, 3)
  assert.equal((await emulator.wallet.statement()).balance, 5.03)
})

test("buys only missing instances when run again", async () => {
  const [first] = await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  const fleet = await ensureFleet(vps, NAMES, BUDGET)
  assert.equal(fleet[0]?.id, first?.id)
  assert.deepEqual(await movements(), ["instance_create -4.99", "instance_create -4.99", "instance_create -4.99"])
})

test("buys nothing over the budget", async () => {
  await assert.rejects(ensureFleet(vps, NAMES, 14.96), OverBudget)
  assert.deepEqual(await movements(), [])
  const creates = (await emulator.requests.list()).filter(({ method, query }) => method === "POST" && query === "")
  assert.deepEqual(creates, [])
})

test("buys once although the response is lost and the service is unavailable afterwards", async () => {
  await emulator.faults.add({ operation: "instances.create", drop_connection: "after", count: 1 })
  await emulator.faults.add({ operation: "instances.create", status: 503, count: 1 })
  await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  assert.deepEqual(await movements(), ["instance_create -4.99"])
  const creates = (await emulator.requests.list()).filter(({ method, query }) => method === "POST" && query === "")
  assert.equal(new Set(creates.map(({ idempotency_key_sha256 }) => idempotency_key_sha256)).size, 1)
})

test("fails with PaymentRequiredError on insufficient funds", async () => {
  await emulator.wallet.set(4.98)
  await assert.rejects(ensureFleet(vps, NAMES.slice(0, 1), BUDGET), PaymentRequiredError)
})

test("is refunded for a failed deployment", async () => {
  await emulator.deploy.failing({ count: 1 })
  await assert.rejects(ensureFleet(vps, NAMES.slice(0, 1), BUDGET), ProvisioningFailedError)
  assert.deepEqual(await movements(), ["instance_create -4.99", "refund 4.99"])
})

test("renews after a month, and expires without funds", async () => {
  const [web] = await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  await emulator.clock.advance("31 days")
  assert.deepEqual(await movements(), ["instance_create -4.99", "instance_renew -4.99"])
  await emulator.wallet.set(0)
  await emulator.clock.advance("31 days")
  assert.equal((await vps.instances.get(web!.id)).status, "expired")
})
