/** Limits of requests cost no write: they are counted in memory, unlike creates. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { startApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"

describe("requests", () => {
  it.live("are counted in memory: nothing is written for them, good or bad", () =>
    Effect.gen(function*() {
      const database = `${yield* temporaryFolder}/limits.db`
      const app = yield* startApp(["--rate-limits", "--database", database])
      yield* app.control("POST", "/clock", { freeze: true })
      // The first one notes that the key was used; the clock answers when that is written.
      yield* app.api({ path: "/whoami" })
      yield* app.control("POST", "/clock", { advance_ms: 0 })
      // Every commit makes the write-ahead log longer.
      const written = Effect.sync(() => statSync(`${database}-wal`).size)
      const before = yield* written
      for (let count = 0; count < 40; count++) {
        yield* app.api({ path: "/instances" })
        yield* app.api({ path: "/instances", key: "nonsense" })
      }
      const [last, refused] = [yield* app.api({ path: "/whoami" }), yield* app.api({ path: "/whoami", key: "" })]
      assert.deepStrictEqual([last.status, refused.status], [200, 429])
      assert.strictEqual(yield* written, before)
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      assert.isAbove(yield* written, before)
    }))
})
