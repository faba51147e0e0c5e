/** The data that open pages show, and its changes. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Observations } from "#service/persistence/Observations"
import { firstInstance, instance, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

export const observations: Rules = {
  "differ after each write, in what it has changed": Effect.gen(function*() {
    const observations = yield* Observations
    const { accountId, id } = yield* firstInstance
    const other = yield* instance(accountId)
    const changedBy = Effect.fnUntraced(function*<E, R>(change: Effect.Effect<unknown, E, R>) {
      const [version, before] = [yield* observations.version, yield* observations.account(accountId)]
      yield* write(change)
      assert.notStrictEqual(yield* observations.version, version)
      const after = yield* observations.account(accountId)
      return [...after.keys()].filter((name) => after.get(name) !== before.get(name))
    })
    assert.deepStrictEqual(yield* changedBy(task(id)), [String(id)])
    assert.deepStrictEqual(yield* changedBy(Effect.flatMap(Accounts, ({ credit }) => credit(accountId, 5))), ["wallet"])
    const setPower = Effect.flatMap(Instances, (instances) => instances.setPower(other.id, "on"))
    assert.deepStrictEqual(yield* changedBy(setPower), [String(other.id)])
    assert.deepStrictEqual([...(yield* observations.host).keys()], ["tasks", "money", "accounts", "audit", "hosts"])
  })
}
