/** A shop to buy in: a small catalogue, an account with a key and a wallet. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CreateInstance } from "#contract/Instance"
import type { Caller } from "#service/domain/Caller"
import { topUp } from "#service/ledger/Ledger"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Transaction } from "#service/persistence/Transaction"
import { editable, image, plan } from "./catalogue.ts"
import { persistenceLayer, secretLayer } from "./service.ts"

/** The real repositories over a database of its own. */
export const shopLayer = Layer.merge(persistenceLayer, secretLayer)

export const SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqfCkZ0Qx0Yt0v1kYw3oQ8l6b3mJ0qv9v3b1Yk0c2Vd me"

/** An account with a key and a wallet, and a small catalogue. */
export const shop = Effect.fnUntraced(function*(wallet: number) {
  const catalogue = yield* editable
  yield* catalogue.addDataCenter({ id: 1, label: "Frankfurt" })
  yield* catalogue.addImage(image(1, "debian-12"))
  yield* catalogue.addImage({ ...image(2, "windows-2022"), family: "windows" })
  yield* catalogue.offerImage(1, 1, true)
  yield* catalogue.offerImage(1, 2, false)
  yield* catalogue.addPlan(plan(1, { price: 499 }))
  yield* catalogue.addPlan(plan(2, { isActive: false }))
  yield* catalogue.addPlan(plan(3, { category: "hosting" }))
  yield* catalogue.addPlan(plan(4, { outOfStock: true }))
  yield* catalogue.addPlan(plan(5, { autoDeploy: false }))
  yield* catalogue.addPlan(plan(6, { currency: "USD" }))
  const accountId = yield* (yield* Accounts).create({
    email: "owner@example.test",
    currency: "EUR",
    vat: { treatment: "domestic", rate: 1900 },
    at: 0
  })
  const key = { accountId, name: "k", prefix: "vps_live_", last4: "abcd", createdAt: 0, expiresAt: null } as const
  const maker = { personId: null, madeBy: null }
  const apiKeyId = yield* (yield* ApiKeys).create({ ...key, ...maker, digest: "d", scopes: ["vps:create"] })
  if (wallet > 0) yield* topUp({ accountId, amount: wallet, at: 0, reference: "top_up:1" })
  return { accountId, apiKeyId, requestId: "r-1" } satisfies Caller
})

export const buy = (caller: Caller, body: CreateInstance, key?: string) =>
  Effect.flatMap(Transaction, ({ run }) => run(placeOrder({ caller, body, key })))

/** Minor units. */
export const wallet = (caller: Caller) =>
  Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(caller.accountId), (account) => account!.wallet))
