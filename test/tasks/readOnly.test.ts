/** A read-only database: nothing is left half done, and all work continues afterwards. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Accounts } from "#service/persistence/Accounts"
import { Database } from "#service/persistence/sqlite/Database"
import { Transaction } from "#service/persistence/Transaction"
import { allTasks, buy, coreLayer, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { tagOf } from "../support/machineTag.ts"

const { LEASE_MILLIS } = DEFAULT_LIMITS

/** As with a full or remounted disk: reads succeed, every write fails. */
const writable = (yes: boolean) =>
  Effect.map(Database, ({ connection }) => connection.exec(`PRAGMA query_only = ${yes ? "OFF" : "ON"}`))

const order = Effect.flatMap(
  Transaction,
  ({ run }) => run(placeOrder({ caller: owner, body: { service_id: 1 }, key: "k" }))
)

const wallet = Effect.flatMap(Accounts, ({ find }) => Effect.map(find(1), (account) => account!.wallet))

describe("while the database cannot be written", () => {
  it.effect("a create is StorageUnavailable and leaves nothing; the same key works afterwards", () =>
    Effect.gen(function*() {
      yield* writable(false)
      assert.strictEqual((yield* Effect.flip(order))._tag, "StorageUnavailable")
      assert.strictEqual(yield* wallet, 100_000)
      yield* writable(true)
      const { replayed } = yield* order
      assert.isFalse(replayed)
      assert.strictEqual(yield* wallet, 100_000 - 499)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("a task whose end could not be recorded is repeated, and builds one machine", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* elapse(500)
      yield* writable(false)
      yield* elapse(5_000, 500)
      assert.strictEqual((yield* show(id)).status, "provisioning")
      yield* writable(true)
      // It need not wait for the end of its lease.
      yield* elapse(LEASE_MILLIS / 4, 500)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude((yield* allTasks)[0], { status: "succeeded", attempts: 2 })
      assert.deepStrictEqual((yield* Database).all("SELECT tag FROM simulated_machines")(), [[yield* tagOf(1)]])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("the worker waits with what falls due, and does it afterwards", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* writable(false)
      yield* elapse(5_000, 500)
      yield* writable(true)
      yield* elapse(5_000, 500)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))
})
