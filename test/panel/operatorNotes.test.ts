/** Operators' notes: on accounts and instances, with their author, and for operators only. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  browser.call({ method: "POST", path: `/operator/commands/${name}`, body })

const texts = (browser: PanelBrowser, filter: object) =>
  Effect.map(
    command(browser, "notes.list", { limit: 10, ...filter }),
    ({ body }) => body.map(({ text }: { readonly text: string }) => text)
  )

describe("notes", () => {
  it.live("are listed newest first, those of an instance with its account's", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "operator")
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const { body: other } = yield* command(browser, "accounts.create", {
        email: "b@example.test",
        currency: "EUR",
        vat_treatment: "domestic"
      })
      const { body: note } = yield* command(browser, "notes.add", { account_id: 1, text: "pays by invoice" })
      assert.deepInclude(note, { account_id: 1, instance_id: null, author: "operator@example.test" })
      yield* command(browser, "notes.add", { instance_id: id, text: "migrates on Monday" })
      yield* command(browser, "notes.add", { account_id: other.id, text: "of another account" })
      assert.deepStrictEqual(yield* texts(browser, { account_id: 1 }), ["migrates on Monday", "pays by invoice"])
      assert.deepStrictEqual(yield* texts(browser, { instance_id: id }), ["migrates on Monday"])
      assert.strictEqual((yield* texts(browser, {})).length, 3)
      assert.deepStrictEqual((yield* command(browser, "notes.delete", { id: note.id })).body, {
        id: note.id,
        deleted: true
      })
      assert.deepStrictEqual(yield* texts(browser, { account_id: 1 }), ["migrates on Monday"])
      assert.match((yield* command(browser, "notes.delete", { id: note.id })).body.detail, /^Note \d+ not found/)
    })))

  it.live("are rejected without a subject, on what does not exist, and on an instance of another account", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "operator")
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const refusal = (input: object) =>
        Effect.map(command(browser, "notes.add", { text: "x", ...input }), ({ body }) => body.detail)
      assert.strictEqual(yield* refusal({}), "Give an account or an instance.")
      assert.match(yield* refusal({ account_id: 9 }), /^Account 9 not found/)
      assert.match(yield* refusal({ instance_id: 9 }), /^Instance 9 not found/)
      assert.match(yield* refusal({ instance_id: id, account_id: 2 }), /is of account 1, not of 2/)
      assert.match(yield* refusal({ account_id: 1, text: "" }), /^text: /)
      const customer = yield* signInAs(app, "customer")
      for (const name of ["notes.add", "notes.list"]) assert.strictEqual((yield* command(customer, name)).status, 403)
      const { body } = yield* app.api({ path: `/instances/${id}` })
      assert.notInclude(JSON.stringify(body), "note")
    })))
})
