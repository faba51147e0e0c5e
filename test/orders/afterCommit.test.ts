/** A create: all of it is committed before a worker is notified. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { CreateInstance } from "#contract/Instance"
import { InFlight } from "#service/idempotency/InFlight"
import { buy } from "#service/orders/PlaceOrder"
import { Database } from "#service/persistence/sqlite/Database"
import { queueing, WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { coreLayer, owner } from "../support/service.ts"

/** Buys with a worker that records the state of the database when it is notified; returns the records. */
const noting = Effect.gen(function*() {
  const { connection, one } = yield* Database
  const noted: Array<readonly [isOpen: boolean, tasks: number]> = []
  const note = Effect.sync(() => {
    const [tasks] = one<[number]>("SELECT count(*) FROM tasks WHERE type = 'provision'")()!
    noted.push([connection.isTransaction, tasks])
  })
  const create = (body: CreateInstance, key?: string) =>
    Effect.provideService(buy({ caller: owner, body, key }), WorkerNotifier, queueing(note))
  return { create, noted }
})

describe("a create", () => {
  it.effect("notifies the worker after its commit, and not when it is rejected or a replay", () =>
    Effect.gen(function*() {
      const { create, noted } = yield* noting
      yield* create({ service_id: 1 }, "k1")
      assert.deepStrictEqual(noted, [[false, 1]])
      yield* create({ service_id: 1 })
      assert.deepStrictEqual(noted, [[false, 1], [false, 2]])
      yield* create({ service_id: 1 }, "k1")
      yield* Effect.flip(create({ service_id: 99 }))
      assert.lengthOf(noted, 2)
    }).pipe(Effect.provide(Layer.provideMerge(InFlight.layer, coreLayer()))))

  it.effect("notifies the worker even if the client disconnects during the commit", () =>
    Effect.gen(function*() {
      const { create, noted } = yield* noting
      const request = yield* Effect.forkChild(create({ service_id: 1 }, "k1"), { startImmediately: true })
      yield* Fiber.interrupt(request)
      assert.deepStrictEqual(noted, [[false, 1]])
    }).pipe(Effect.provide(Layer.provideMerge(InFlight.layer, coreLayer()))))
})
