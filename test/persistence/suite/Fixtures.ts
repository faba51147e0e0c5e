/** Rows for the persistence suite, made through the repositories: plausible in all that a rule says nothing about. */
import * as Effect from "effect/Effect"
import { Accounts, type NewAccount } from "#service/persistence/Accounts"
import { ApiKeys, type NewApiKey } from "#service/persistence/ApiKeys"
import { Catalogue } from "#service/persistence/Catalogue"
import type { Plan } from "#service/persistence/catalogue/Plan"
import { Instances } from "#service/persistence/Instances"
import { Orders } from "#service/persistence/Orders"
import type { NewTask } from "#service/persistence/tasks/Task"
import { Tasks } from "#service/persistence/Tasks"
import { editable, plan } from "../../support/catalogue.ts"

/** Beyond 32 bits, like every moment there is. */
export const NOW = 1_800_000_000_000

/** The largest number that JavaScript counts to without a gap. */
export const LARGEST = Number.MAX_SAFE_INTEGER

export const account = (overrides: Partial<NewAccount> = {}) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.create({
      email: "a@example.test",
      currency: "EUR",
      vat: { treatment: "domestic", rate: 1_900 },
      at: NOW,
      ...overrides
    }))

const newKey = (accountId: number, overrides: Partial<NewApiKey> = {}): NewApiKey => ({
  accountId,
  name: "ci",
  prefix: "vps_live_abcd",
  last4: "wxyz",
  digest: "d1",
  scopes: ["vps:read", "vps:create"],
  createdAt: NOW,
  expiresAt: null,
  personId: null,
  madeBy: null,
  ...overrides
})

export const apiKey = (accountId: number, overrides: Partial<NewApiKey> = {}) =>
  Effect.flatMap(ApiKeys, (keys) => keys.create(newKey(accountId, overrides)))

/** Frankfurt with plan 1 (9.99), Helsinki with plan 2 (19.99). */
export const stock = Effect.gen(function*() {
  const catalogue = yield* editable
  yield* catalogue.addDataCenter({ id: 1, label: "Frankfurt" })
  yield* catalogue.addDataCenter({ id: 2, label: "Helsinki" })
  yield* catalogue.addPlan(plan(1))
  yield* catalogue.addPlan(plan(2, { price: 1_999, dataCenterId: 2 }))
})

/** Sells a plan as it is now. */
const sell = Effect.fnUntraced(function*(sold: Plan) {
  const catalogue = yield* Catalogue
  return yield* catalogue.sell(sold, yield* catalogue.lastSold(sold.id))
})

export const order = Effect.fnUntraced(function*(accountId: number, price = 999) {
  const soldId = yield* sell(plan(1))
  const order = { accountId, planId: 1, soldId, config: "{}", price, charge: price, at: NOW }
  return yield* (yield* Orders).insert(order)
})

export interface Bought {
  readonly accountId: number
  readonly orderId: number
  readonly id: number
}

/** An instance of an account on plan 1, pending and without a task; the catalogue has to be stocked. */
export const instance = Effect.fnUntraced(function*(accountId: number, expiresAt = NOW + 1_000, hostname = "web") {
  const found = (yield* (yield* Accounts).find(accountId))!
  const orderId = yield* order(accountId)
  const bought = yield* (yield* Instances).insert({
    account: found,
    plan: plan(1),
    orderId,
    config: "{}",
    hostname,
    os: "debian-12",
    expiresAt,
    at: NOW
  })
  const result: Bought = { accountId, orderId, id: bought.id }
  return result
})

/** The first instance of all: with its account, in a catalogue that was stocked for it. */
export const firstInstance = Effect.gen(function*() {
  yield* stock
  return yield* instance(yield* account())
})

export const newTask = (instanceId: number, overrides: Partial<NewTask> = {}): NewTask => ({
  instanceId,
  type: "provision",
  actor: "api_key",
  apiKeyId: 1,
  requestId: "r-1",
  params: "{}",
  sealed: null,
  runAt: NOW,
  at: NOW,
  leaseUntil: null,
  ...overrides
})

export const task = (instanceId: number, overrides: Partial<NewTask> = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.insert(newTask(instanceId, overrides)))
