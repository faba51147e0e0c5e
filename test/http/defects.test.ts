/** Bugs in the service: a 500 in the common error shape, without internal details (spec, Errors). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { Catalogue } from "#service/persistence/Catalogue"
import { startApp } from "../support/app.ts"

/** The defect is on purpose. */
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

describe("a bug in the service", () => {
  it.live("is a 500 with a reference to the log and without secrets; other requests are not affected", () =>
    Effect.gen(function*() {
      const app = yield* quiet(startApp())
      const broken = { forSale: Effect.die(new Error("the password of the database is hunter2")) }
      yield* app.inside(Effect.map(Catalogue, (catalogue) => void Object.assign(catalogue, broken)))
      const answer = yield* app.api({ path: "/services", headers: { "x-request-id": "r-defect" } })
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(answer.body, {
        detail: "Internal error. The operator's log has the details under this request's id."
      })
      assert.strictEqual(answer.headers.get("x-request-id"), "r-defect")
      assert.strictEqual((yield* app.api({ path: "/services/1/os-options" })).status, 200)
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
    }))
})
