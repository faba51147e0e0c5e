/** Every call, endpoint and operators' command that changes money or access needs a sign-in of the last minutes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { PANEL_FRESHNESS } from "#service/panel/contract/Freshness"
import type { PanelRoute } from "#service/panel/http/Handlers"
import { startApp, type TestApp } from "../support/app.ts"
import { ageSignIn, type PanelBrowser, signInAs } from "../support/panel.ts"
import { pathOf, ROUTES } from "../support/panelRoutes.ts"

/** Of an account, below its path. */
const OF_ACCOUNT = [
  "POST keys",
  "POST keys/:id/rotate",
  "DELETE keys/:id",
  "POST ssh-keys",
  "DELETE ssh-keys/:id",
  "POST invitations",
  "POST invitations/:id/send",
  "DELETE people/:id",
  "PUT people/:id/permission",
  "PUT instances/:id/auto-renew",
  "POST instances/:id/reset-password",
  "POST instances/:id/console",
  "POST v1/instances",
  "POST v1/instances/:instance_id/reinstall",
  "POST v1/instances/:instance_id/reset-password",
  "POST v1/instances/:instance_id/resize",
  "POST v1/instances/:instance_id/snapshots/:snap_id/restore",
  "POST v1/instances/:instance_id/backups/:backup_id/restore",
  "POST v1/instances/:instance_id/iso",
  "POST v1/instances/:instance_id/rescue",
  "DELETE v1/instances/:instance_id/rescue"
]

const OF_PERSON = [
  "POST me/passkeys/options",
  "POST me/passkeys",
  "DELETE me/passkeys/:id",
  "DELETE me/accounts/:account"
]

const EXPECTED = [
  ...OF_ACCOUNT.map((call) => call.replace(" ", " /panel/api/accounts/:account/")),
  ...OF_PERSON.map((call) => call.replace(" ", " /panel/api/"))
]

/** Those repeat, start or close work that was paid for, or are about texts that only operators see. */
const NEED_NONE = new Set([
  "mails.test",
  "notes.add",
  "notes.delete",
  "rdns.check",
  "tasks.abandon",
  "tasks.approve",
  "tasks.retry"
])

/** Input with which a command changes something, where an empty one would only read. */
const ACTING: Readonly<Record<string, object>> = {
  "accounts.limits": { id: 1, creates_per_hour: 5 },
  "machines.audit": { repair: true },
  "rdns.check": { repair: true }
}

const nameOf = ({ method, path }: PanelRoute) => `${method} ${path}`

/** True if the service requests a fresh sign-in. The stream of events is not read. */
const isRefused = ({ cookie, origin }: PanelBrowser, { method }: PanelRoute, path: string) =>
  Effect.promise(async () => {
    const controller = new AbortController()
    const response = await fetch(`${origin}/panel/api${path}`, {
      method,
      signal: controller.signal,
      headers: {
        origin,
        cookie: `__Host-session=${cookie}`,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json"
      },
      ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" })
    })
    const answer = response.status === 403 ? await response.json() as { readonly reason?: string } : {}
    controller.abort()
    return answer.reason === "fresh_sign_in"
  })

const signInLongAgo = Effect.fnUntraced(function*(app: TestApp, role: "customer" | "operator") {
  const browser = yield* signInAs(app, role)
  yield* ageSignIn(app, browser)
  return browser
})

describe("an old sign-in", () => {
  it.live("is refused by every call that changes money or access, and by no other", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const refused: Array<string> = []
      for (const route of ROUTES) {
        // Each with a session of its own: some calls end it, or confirm it.
        const browser = yield* signInLongAgo(app, route.access === "operator" ? "operator" : "customer")
        if (yield* isRefused(browser, route, pathOf(route))) refused.push(nameOf(route))
      }
      assert.deepStrictEqual(refused.toSorted(), EXPECTED.toSorted())
      assert.isTrue(ROUTES.every(({ access, freshness }) => access !== "public" || freshness === "any"))
    })))

  it.live("may preview an order, but not place it", () =>
    Effect.scoped(Effect.gen(function*() {
      const browser = yield* signInLongAgo(yield* startApp(), "customer")
      const order = (query: string) =>
        browser.call({ method: "POST", path: `/accounts/1/v1/instances${query}`, body: { service_id: 1 } })
      assert.strictEqual((yield* order("?dry_run=true")).status, 200)
      for (const query of ["", "?dry_run=false"]) {
        assert.deepInclude(yield* order(query), { status: 403 }, query)
      }
      assert.notStrictEqual((yield* order("?dry_run=true&dry_run=false")).status, 201)
    })))

  it.live("is refused by every command that changes something, with the exception of work on tasks and notes", () =>
    Effect.scoped(Effect.gen(function*() {
      const browser = yield* signInLongAgo(yield* startApp(), "operator")
      for (const [name, { hostOnly, isAct }] of Object.entries(COMMANDS)) {
        const body = ACTING[name] ?? {}
        const answer = yield* browser.call({ method: "POST", path: `/operator/commands/${name}`, body })
        const needs = isAct(body as never) && !NEED_NONE.has(name) && !hostOnly
        assert.strictEqual(answer.body?.reason === "fresh_sign_in", needs, name)
        if (needs) assert.strictEqual(answer.status, 403, name)
      }
    })))

  it.live("may preview what a command would change", () =>
    Effect.scoped(Effect.gen(function*() {
      const browser = yield* signInLongAgo(yield* startApp(), "operator")
      const run = (name: string, body: object) =>
        Effect.map(
          browser.call({ method: "POST", path: `/operator/commands/${name}`, body }),
          ({ status }) => status
        )
      assert.strictEqual(yield* run("accounts.limits", { id: 1 }), 200)
      assert.strictEqual(yield* run("catalogue.import", { document: { plans: [] }, dry_run: true }), 200)
      // Other values of the field are not a preview.
      assert.strictEqual(yield* run("catalogue.import", { document: { plans: [] }, dry_run: 1 }), 400)
    })))

  it.live("does not matter to API keys", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { status } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      assert.strictEqual(status, 201)
    })))
})

describe("the table of the panel's own calls", () => {
  it("has only the calls of its contract", () => {
    const declared = Object.values(PANEL_FRESHNESS).flatMap((group) => Object.keys(group))
    assert.strictEqual(declared.length, ROUTES.filter(({ operation }) => operation === undefined).length)
  })
})
