/** The first line of the log. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { VERSION } from "#contract/Version"
import type { Values } from "#service/config/Config"
import { resolve } from "#service/config/Resolve"
import * as Lifecycle from "#service/observability/Log"
import * as Log from "#service/observability/Log"

describe("the log of a start", () => {
  it.effect("names version, database, driver, mailer and limits, and no password", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const settings = resolve(["--driver", "simulated"], {
        VPS_SERVICE_DATABASE: "postgres://vps:hunter2@db.example.test/vps",
        VPS_SERVICE_SECRET: "hunter2-hunter2-hunter2-hunter2-hunter2",
        VPS_SERVICE_SMTP_URL: "smtps://vps:hunter2@mail.example.test:465",
        VPS_SERVICE_SNAPSHOTS_MAX: "7"
      })
      const logged = (of: Values) =>
        Lifecycle.logStart(of).pipe(
          Effect.provide(Log.layer),
          Effect.provideService(Log.LogSink, (line) => void lines.push(line))
        )
      yield* logged(settings)
      const { annotations, message } = JSON.parse(lines[0]!)
      assert.strictEqual(message, "Starting")
      assert.deepInclude(annotations, {
        version: VERSION,
        database: "postgres://vps:***@db.example.test/vps",
        driver: "simulated",
        emulator: false,
        mailer: "smtp mail.example.test:465"
      })
      assert.deepStrictEqual(annotations.limits, { SNAPSHOTS_MAX: 7 })
      assert.notInclude(lines[0]!, "hunter2")
    }))
})
