/** The machines of all accounts. `test/admin/search.test.ts` tests the lists of operators' commands. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OperatorLists } from "#service/persistence/OperatorLists"
import { Tasks } from "#service/persistence/Tasks"
import { firstInstance, NOW, task } from "./Fixtures.ts"
import type { Rules } from "./Rules.ts"

export const machines: Rules = {
  "machines are listed with how often the service started them since a time, and if it gave them up": Effect.gen(
    function*() {
      const { machines } = yield* OperatorLists
      const { cancel, recordAudit } = yield* Tasks
      const { id } = yield* firstInstance
      const run = (overrides: object) =>
        Effect.flatMap(task(id, { type: "start", ...overrides }), (open) => cancel(open, "over", NOW))
      const [fresh] = yield* machines(0)
      assert.deepInclude(fresh!, { id, restarts: 0, isGivenUp: false, host: null })
      yield* run({ actor: "system", at: NOW })
      yield* run({ actor: "system", at: NOW + 2 })
      yield* run({ actor: "api_key", at: NOW + 3 })
      yield* run({ actor: "system", type: "stop", at: NOW + 4 })
      assert.deepInclude((yield* machines(NOW))[0]!, { restarts: 1, isGivenUp: false })
      const failed = { status: "failed", actor: "system", apiKeyId: null, requestId: null, error: "x" } as const
      yield* recordAudit({ instanceId: id, type: "start", ...failed, at: NOW + 5 })
      yield* run({ type: "backup_create", actor: "system" })
      assert.deepInclude((yield* machines(NOW - 1))[0]!, { restarts: 2, isGivenUp: true })
      yield* run({ type: "restart" })
      assert.deepInclude((yield* machines(NOW + 9))[0]!, { restarts: 0, isGivenUp: false })
    }
  )
}
