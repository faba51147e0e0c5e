/** The list of mails that the emulator has sent, or would have sent without a mail server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const DAY = 86_400_000

const subjects = (app: TestApp) =>
  Effect.map(
    app.control("GET", "/mails"),
    ({ body }) =>
      (body as ReadonlyArray<{ readonly subject: string }>).map(({ subject }) => subject.split(/[,:] | on /)[0])
  )

const buy = (app: TestApp) =>
  Effect.gen(function*() {
    const body = { service_id: 1, hostname: "web.example.com" }
    const { body: bought } = yield* app.api({ method: "POST", path: "/instances", body })
    return yield* deployed(app, bought.id)
  })

describe("the mails of an emulator", () => {
  it.live("are all that a customer gets who does not pay, in order, after one advance of the clock", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/wallet", { balance: 9 })
      yield* buy(app)
      yield* app.control("POST", "/clock", { advance_ms: 45 * DAY })
      assert.deepStrictEqual(yield* subjects(app), [
        "Your order of VPS S",
        "0.98 EUR are missing for your renewals",
        "0.98 EUR are missing for your renewals",
        "Last reminder",
        "web.example.com (instance 1) has expired",
        "web.example.com (instance 1) will be deleted",
        "Last reminder",
        "web.example.com (instance 1) is deleted"
      ])
    })))

  it.live("have their text, also where it has a password, and go with a reset", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { id } = yield* buy(app)
      yield* app.control("DELETE", "/mails")
      const { body } = yield* app.api({ method: "POST", path: `/instances/${id}/reset-password` })
      const { body: mails } = yield* app.control("GET", "/mails")
      assert.lengthOf(mails, 1)
      assert.deepInclude(mails[0], {
        to: "owner@example.test",
        subject: `New root password of web.example.com (instance ${id})`
      })
      assert.include(mails[0].text, body.password)
      assert.match(mails[0].at, /^\d{4}-\d\d-\d\dT/)
      yield* app.control("DELETE", "/mails")
      assert.deepStrictEqual((yield* app.control("GET", "/mails")).body, [])
      yield* app.api({ method: "POST", path: `/instances/${id}/reset-password` })
      yield* app.control("POST", "/reset")
      assert.deepStrictEqual((yield* app.control("GET", "/mails")).body, [])
    })))
})
