/** A storm of upstream faults: every task ends, the books balance, no instance is stuck, no machine is left over. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { operate } from "#service/instances/Power"
import { topUp, verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Database } from "#service/persistence/sqlite/Database"
import { Transaction } from "#service/persistence/Transaction"
import { Busy, Rejected, Unavailable } from "#service/provisioning/Driver"
import { allTasks, buy, elapse, owner, serviceLayer } from "../support/service.ts"
import { type Mishap, Upstream } from "../support/upstream.ts"

const MISHAPS: ReadonlyArray<Mishap> = [
  new Busy({ reason: "busy" }),
  new Unavailable({ reason: "away" }),
  "lost",
  new Rejected({ reason: "no" })
]

const pick = <A>(from: ReadonlyArray<A>): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, from.length - 1), (index) => from[index]!)

/** What happens to the next submissions: in three of ten, one of the mishaps. */
const weather = Effect.forEach(Array.from({ length: 4_000 }), () =>
  Effect.gen(function*() {
    if ((yield* Random.next) >= 0.3) return undefined
    return yield* pick(MISHAPS)
  }))

const ACTIONS = ["stop", "start", "restart"] as const

/** Every instance is asked for something; those that are busy or failed say so. */
const bother = (ids: ReadonlyArray<number>) =>
  Effect.forEach(ids, (id) =>
    Effect.gen(function*() {
      yield* Effect.ignore(operate(owner, id, yield* pick(ACTIONS)))
    }), { concurrency: "unbounded", discard: true })

/** Machines at the upstream, and instances that should have one. */
const machines = Effect.gen(function*() {
  const { all } = yield* Database
  return {
    upstream: all<[string]>("SELECT tag FROM simulated_machines ORDER BY id")().map(([tag]) => tag).toSorted(),
    ours: all<[number]>("SELECT id FROM instances WHERE lifecycle = 'active'")().map(([id]) => `instance-${id}`)
      .toSorted()
  }
})

describe("a fault storm", () => {
  it.effect.each([1, 2, 3])("with seed %i ends well", (seed) =>
    Effect.gen(function*() {
      yield* (yield* Transaction).run(topUp({ accountId: 1, amount: 100_000, reference: "more", at: 0 }))
      ;(yield* Upstream).mishaps.push(...yield* weather)
      const bought = yield* Effect.all(Array.from({ length: 150 }, () => buy()), { concurrency: "unbounded" })
      const ids = bought.map(({ id }) => id)
      for (let round = 0; round < 20; round++) {
        yield* elapse(2_000, 500)
        yield* bother(ids)
      }
      yield* elapse(40 * 60_000, 10_000)
      const open = (yield* allTasks).filter(({ status }) => status === "queued" || status === "running")
      assert.deepStrictEqual(open, [])
      assert.isTrue((yield* verify).balanced)
      const stored = yield* Effect.forEach(ids, (id) => Effect.flatMap(Instances, ({ find }) => find(id)))
      const active = stored.filter((instance) => instance!.lifecycle === "active").length
      const failed = stored.filter((instance) => instance!.lifecycle === "failed").length
      assert.strictEqual(active + failed, 150)
      assert.isAbove(failed, 0)
      assert.isAbove(active, failed)
      const account = yield* (yield* Accounts).find(1)
      assert.strictEqual(account!.wallet, 200_000 - 499 * active)
      const { ours, upstream } = yield* machines
      assert.deepStrictEqual(upstream, ours)
    }).pipe(Random.withSeed(seed), Effect.provide(serviceLayer())))
})
