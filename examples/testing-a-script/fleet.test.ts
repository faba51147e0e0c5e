/** `node --test fleet.test.ts`: what the script buys, and what it does when things go wrong. No account, no money. */
import assert from "node:assert/strict"
import { after, before, beforeEach, test } from "node:test"
import { PaymentRequiredError, ProvisioningFailedError, type Vps } from "pulumi-vps"
import { type RunningEmulator, startEmulator } from "pulumi-vps/testing"
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

/** What was taken out of the wallet and put into it since the seed, oldest first. */
const movements = async () => {
  const { statement } = await emulator.wallet.statement()
  return statement.map(({ amount, kind }) => `${kind} ${amount}`).toReversed().slice(1)
}

test("buys a server for each name", async () => {
  const fleet = await ensureFleet(vps, NAMES, BUDGET)
  assert.deepEqual(fleet.map(({ status }) => status), ["running", "running", "running"])
  assert.equal(new Set(fleet.map(({ ipv4 }) => ipv4)).size, 3)
  assert.equal((await emulator.wallet.statement()).balance, 5.03)
})

test("buys only what is missing when it is run again", async () => {
  const [first] = await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  const fleet = await ensureFleet(vps, NAMES, BUDGET)
  assert.equal(fleet[0]?.id, first?.id)
  assert.deepEqual(await movements(), ["instance_create -4.99", "instance_create -4.99", "instance_create -4.99"])
})

test("buys nothing when that would be over the budget", async () => {
  await assert.rejects(ensureFleet(vps, NAMES, 14.96), OverBudget)
  assert.deepEqual(await movements(), [])
  const creates = (await emulator.requests.list()).filter(({ method, query }) => method === "POST" && query === "")
  assert.deepEqual(creates, [])
})

test("buys once although the answer is lost, and the host is down for a while after that", async () => {
  await emulator.faults.add({ operation: "instances.create", drop_connection: "after", count: 1 })
  await emulator.faults.add({ operation: "instances.create", status: 503, count: 1 })
  await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  assert.deepEqual(await movements(), ["instance_create -4.99"])
  const creates = (await emulator.requests.list()).filter(({ method, query }) => method === "POST" && query === "")
  assert.equal(new Set(creates.map(({ idempotency_key_sha256 }) => idempotency_key_sha256)).size, 1)
})

test("says so when the wallet is too low", async () => {
  await emulator.wallet.set(4.98)
  await assert.rejects(ensureFleet(vps, NAMES.slice(0, 1), BUDGET), PaymentRequiredError)
})

test("is paid back for a server that could not be built", async () => {
  await emulator.deploy.failing({ count: 1 })
  await assert.rejects(ensureFleet(vps, NAMES.slice(0, 1), BUDGET), ProvisioningFailedError)
  assert.deepEqual(await movements(), ["instance_create -4.99", "refund 4.99"])
})

test("is charged again after a month, and loses what is not paid for", async () => {
  const [web] = await ensureFleet(vps, NAMES.slice(0, 1), BUDGET)
  await emulator.clock.advance("31 days")
  assert.deepEqual(await movements(), ["instance_create -4.99", "instance_renew -4.99"])
  await emulator.wallet.set(0)
  await emulator.clock.advance("31 days")
  assert.equal((await vps.instances.get(web!.id)).status, "expired")
})
