/** The mails of the built service's panel, with a real mail server: links, invitations, and that none is an oracle. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { adminOf } from "../support/command.ts"
import { linkIn, nextMail } from "../support/mailedLink.ts"
import { mailServer } from "../support/mailServer.ts"
import { openLink, PanelBrowser, tokenIn } from "../support/panel.ts"
import { freePort } from "../support/port.ts"
import { startServiceWith } from "../support/serviceProcess.ts"
import { temporaryFolder } from "../support/temporary.ts"

/** The built service with a mail server and an account; gone with the scope. */
const started = Effect.fnUntraced(function*(smtpUrl?: string, more: Readonly<Record<string, string>> = {}) {
  const database = join(yield* temporaryFolder, "vps.db")
  const port = yield* Effect.promise(freePort)
  const env = {
    VPS_SERVICE_SECRET: "s".repeat(40),
    ...(smtpUrl === undefined ? {} : { VPS_SERVICE_SMTP_URL: smtpUrl }),
    VPS_SERVICE_PANEL_URL: `http://127.0.0.1:${port}`,
    VPS_SERVICE_MAIL_PAUSE_MILLIS: "20",
    ...more
  }
  const service = yield* Effect.acquireRelease(
    Effect.promise(() => startServiceWith({ env }, ["--database", database, "--port", String(port)])),
    ({ end }) => Effect.promise(() => end())
  )
  const { json } = adminOf(database)
  yield* Effect.promise(() =>
    json("accounts", "create", "--email", "owner@example.test", "--vat-treatment", "domestic")
  )
  return { ...service, json }
})

const post = (path: string, body: object = {}) => ({ method: "POST", path, body })

/** A browser that has opened a link. */
const opened = Effect.fnUntraced(function*(origin: string, link: string) {
  const browser = new PanelBrowser(origin)
  const { body, status } = yield* openLink(browser, link)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return browser
})

/** The responses to a requested link for an address that is known, and for one that is not. */
const requests = Effect.fnUntraced(function*(origin: string) {
  const request = (email: string) => new PanelBrowser(origin).call(post("/sign-in/mail", { email }))
  return [yield* request("owner@example.test"), yield* request("nobody@example.test")].map(({ body, status }) => ({
    body,
    status
  }))
})

const SAME = [{ status: 200, body: { ok: true } }, { status: 200, body: { ok: true } }]

describe("the built panel", () => {
  it.live("mails links, and invitations by operators and by members, which work", () =>
    Effect.scoped(Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const { json, origin } = yield* started(url)
      const mailed = (to: string, text: string) => Effect.promise(() => nextMail(mails, to, text))
      const invited = yield* Effect.promise(() => json("people", "invite", "owner@example.test", "--account", "1"))
      assert.deepInclude(invited, { email: "owner@example.test", state: "pending", mailed: true })
      const invitation = yield* mailed("owner@example.test", "Your host invites you to work with the account")
      assert.strictEqual(linkIn(invitation), invited.link)
      const owner = yield* opened(origin, linkIn(invitation))
      yield* mailed("owner@example.test", "You signed in to the panel with a link")

      const sent = yield* owner.call(post("/accounts/1/invitations", { email: "Ada@example.test" }))
      assert.deepInclude(sent.body, { email: "ada@example.test", mailed: true, link: null })
      const mail = yield* mailed("ada@example.test", "owner@example.test invites you to work with the account")
      const shown = yield* new PanelBrowser(origin).call(
        post("/sign-in/invitation", { token: tokenIn(linkIn(mail)) })
      )
      assert.deepInclude(shown.body, { email: "ada@example.test", is_new: true, invited_by: "owner@example.test" })
      const ada = yield* opened(origin, linkIn(mail))
      assert.strictEqual((yield* ada.call({ path: "/accounts/1/wallet" })).status, 200)

      assert.deepStrictEqual(yield* requests(origin), SAME)
      const requested = yield* mailed("owner@example.test", "Open this page and press its button")
      assert.strictEqual((yield* (yield* opened(origin, linkIn(requested))).call({ path: "/session" })).status, 200)
      assert.isUndefined(mails.find(({ to }) => to.includes("nobody@example.test")))
      const { id } = (yield* ada.call({ path: "/session" })).body.person
      const made = yield* Effect.promise(() => json("people", "link", String(id)))
      assert.isTrue(made.mailed)
      const link = yield* mailed("ada@example.test", "Open this page and press its button")
      assert.strictEqual(linkIn(link), made.link)
      yield* opened(origin, made.link)
    })))

  it.live("invites in the host's name, and signs with it and with the address of its support", () =>
    Effect.scoped(Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const { json } = yield* started(url, {
        VPS_SERVICE_BRAND_NAME: "Nordwind",
        VPS_SERVICE_SUPPORT_URL: "https://nordwind.test/help"
      })
      yield* Effect.promise(() => json("people", "invite", "owner@example.test", "--account", "1"))
      const mail = yield* Effect.promise(() => nextMail(mails, "owner@example.test", "Nordwind invites you to work"))
      assert.match(mail, /\r\n-- \r\nNordwind\r\nhttps:\/\/nordwind\.test\/help\r\n/)
    })))

  it.live("responds the same for known and unknown addresses, also when the mail server takes no mail", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* mailServer("sender")
      const { json, log, origin } = yield* started(server.url)
      const invited = yield* Effect.promise(() => json("people", "invite", "owner@example.test", "--account", "1"))
      assert.isFalse(invited.mailed)
      const owner = yield* opened(origin, invited.link)
      assert.deepStrictEqual(yield* requests(origin), SAME)
      const { body, status } = yield* owner.call(post("/accounts/1/invitations", { email: "ada@example.test" }))
      assert.deepStrictEqual([status, body.mailed, body.link], [200, false, null])
      assert.isAbove(server.tried.count, 3)
      assert.notInclude(log(), "nobody@example.test")
    })))

  it.live("offers a mailed link on its sign-in page only if it can send mail", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin } = yield* started()
      assert.isFalse((yield* new PanelBrowser(origin).call({ path: "/sign-in/options" })).body.mail)
      const refused = (yield* requests(origin)).map(({ status }) => status)
      assert.deepStrictEqual(refused, [409, 409])
      const { url } = yield* mailServer()
      const other = yield* started(url)
      const browser = new PanelBrowser(other.origin)
      assert.isTrue((yield* browser.call({ path: "/sign-in/options" })).body.mail)
    })))
})
