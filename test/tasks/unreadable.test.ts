/** A task whose stored parameters this version cannot read, though the one that queued it could. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { execute } from "../support/database.ts"
import { allTasks, buy, elapse, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { machineOf } from "../support/machineTag.ts"

const machine = machineOf(1)

const wallet = Effect.flatMap(Accounts, ({ find }) => Effect.map(find(1), (account) => account!.wallet))

describe("a provision whose parameters a later attempt cannot read", () => {
  it.effect("is refunded, and the machine of the earlier attempt is deleted", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push("lost")
      const before = yield* wallet
      const { id } = yield* buy()
      // No longer: the delay of the next attempt is random.
      yield* settle
      assert.isDefined(yield* machine)
      yield* execute("UPDATE tasks SET params = '[]'")
      yield* elapse(5_000)
      const tasks = (yield* allTasks).map(({ status, type }) => `${type} ${status}`)
      assert.deepStrictEqual(tasks, ["provision failed", "terminate succeeded"])
      assert.isUndefined(yield* machine)
      assert.strictEqual((yield* show(id)).status, "failed")
      assert.strictEqual(yield* wallet, before)
    }).pipe(Effect.provide(serviceLayer())))
})
