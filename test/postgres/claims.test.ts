/** Replicas that claim at the same time pass over what another one is taking, instead of waiting for it. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Tasks } from "#service/persistence/Tasks"
import * as Storage from "#service/persistence/Storage"
import { account, instance, NOW, stock, task } from "../persistence/suite/Fixtures.ts"
import { write } from "../persistence/suite/Rules.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { limitsLayer } from "../support/limits.ts"

const database = Layer.unwrap(
  Effect.map(Effect.promise(freshDatabase), (url) => Layer.provide(Storage.layer(url), limitsLayer()))
)

const claim = (limit: number) =>
  Effect.map(
    Effect.flatMap(Tasks, (tasks) => tasks.claim(NOW, NOW + 60, limit)),
    (taken) => taken.map(({ id }) => id)
  )

/** Tasks that are due, each of an instance of its own. */
const queue = Effect.fnUntraced(function*(count: number) {
  yield* stock
  const accountId = yield* account()
  return yield* Effect.forEach(
    Array.from({ length: count }),
    () => Effect.flatMap(instance(accountId), ({ id }) => task(id))
  )
})

describe.skipIf(noPostgres)("a claim on PostgreSQL", () => {
  it.live("does not wait for tasks that another one is taking", () =>
    Effect.gen(function*() {
      const [first, second, third, fourth] = yield* queue(4)
      const [taken, committing] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.tap(claim(2), () =>
        Effect.andThen(Deferred.succeed(taken, undefined), Deferred.await(committing)))
      const fiber = yield* Effect.forkChild(write(slow))
      yield* Deferred.await(taken)
      const other = yield* Effect.exit(write(claim(4)))
      yield* Deferred.succeed(committing, undefined)
      assert.deepStrictEqual(other, Exit.succeed([third!, fourth!]))
      assert.deepStrictEqual(yield* Fiber.join(fiber), [first!, second!])
      assert.deepStrictEqual(yield* write(claim(4)), [])
    }).pipe(Effect.provide(database)))
})
