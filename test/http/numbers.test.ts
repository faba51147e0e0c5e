/** How an integer may be written in a body (service.md §7): JSON knows one kind of number. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp } from "../support/app.ts"

describe("an integer in a body", () => {
  it.live.each(["1", "1.0", "1.000", "10e-1", "0.1e1", "1E0"])(
    "may be written as %s",
    (written) =>
      Effect.gen(function*() {
        const app = yield* startApp()
        const text = `{"service_id": ${written}}`
        const { body, status } = yield* app.api({ method: "POST", path: "/instances?dry_run=true", text })
        assert.deepStrictEqual([status, body.service_id], [200, 1])
      })
  )
})
