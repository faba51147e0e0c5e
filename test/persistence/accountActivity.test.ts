/** The queries of an account's activity, as SQLite plans them: their cost does not grow with other accounts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AccountActivity } from "#service/persistence/AccountActivity"
import { Database } from "#service/persistence/sqlite/Database"
import { coreLayer } from "../support/service.ts"

describe("the queries of the activity", () => {
  it.effect("use indexes of the account, and read no whole table", () =>
    Effect.gen(function*() {
      const { connection } = yield* Database
      const activity = yield* AccountActivity
      const prepare = connection.prepare.bind(connection)
      const texts: Array<string> = []
      connection.prepare = (text) => {
        texts.push(text)
        return prepare(text)
      }
      const filter = { accountId: 1, before: 9, limit: 5, personId: 1 }
      yield* activity.entries(filter)
      yield* activity.signIns(filter)
      yield* activity.tasks(filter)
      const steps = texts.flatMap((text) =>
        prepare(`EXPLAIN QUERY PLAN ${text}`).all().map(({ detail }) => String(detail))
      )
      for (const name of ["audit_of_account", "audit_sign_ins", "instances_of_account", "tasks_feed"]) {
        assert.isTrue(steps.some((step) => step.includes(name)), `${name}: ${steps.join("; ")}`)
      }
      assert.deepStrictEqual(steps.filter((step) => step.startsWith("SCAN")), [])
    }).pipe(Effect.provide(coreLayer())))
})
