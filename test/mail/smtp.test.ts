/** Mail through a real mail server in this process. Failures are reported in the feed and the operator's log only. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { Task } from "#contract/Monitoring"
import { Mails } from "#service/persistence/Mails"
import { People } from "#service/persistence/people/People"
import { Mailer } from "#service/mail/Mailer"
import { layer } from "#service/mail/Mailers"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { mailServer } from "../support/mailServer.ts"
import { signInAs } from "../support/panel.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { limitsLayer } from "../support/limits.ts"

const FROM = "VPS <noreply@example.test>"

const turn = Effect.promise(() => setImmediate())

/** Polls until the entry exists, bounded by the test's own timeout. */
const until = <A>(look: Effect.Effect<A | undefined>): Effect.Effect<A> =>
  Effect.flatMap(
    look,
    (found) => found === undefined ? Effect.andThen(turn, Effect.suspend(() => until(look))) : Effect.succeed(found)
  )

const instanceOf = (app: TestApp) =>
  Effect.gen(function*() {
    const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
    return yield* deployed(app, body.id)
  })

/** The owner does not get confirmations of orders. */
const withoutConfirmations = Effect.gen(function*() {
  const owner = (yield* (yield* People).findByEmail("owner@example.test"))!
  yield* (yield* Mails).choose(owner.id, 1, { kind: "ordered", isWanted: false })
})

const reset = (app: TestApp, id: number) => {
  const headers = { "x-request-id": "r-reset" }
  return app.api({ method: "POST", path: `/instances/${id}/reset-password`, headers })
}

const auditOf = (app: TestApp, id: number) =>
  Effect.map(
    app.api({ path: `/instances/${id}/tasks` }),
    ({ body }) => (body.items as ReadonlyArray<Task>).find(({ kind }) => kind === "audit")
  )

const mail = { to: "owner@example.test", subject: "Grüße", text: Redacted.make("Straße 1\n.\nThe end") }

const send = (smtpUrl: string, host = { brandName: "", supportUrl: "" }, id?: string) =>
  Effect.flatMap(Mailer, (mailer) => mailer.send(id === undefined ? mail : { ...mail, id })).pipe(
    Effect.provide(Layer.provide(layer({ smtpUrl, mailFrom: FROM, ...host }), limitsLayer()))
  )

describe("a mail server", () => {
  it.live("gets the mail, from the account and sender of the settings", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      yield* send(url)
      const [received] = mails
      assert.deepInclude(received, { user: "user", from: "noreply@example.test", to: ["owner@example.test"] })
      assert.include(received!.content, "From: VPS <noreply@example.test>")
      assert.include(received!.content, "Auto-Submitted: auto-generated")
      assert.match(received!.content, /Subject: =\?UTF-8\?/i)
      assert.match(received!.content, /^\.$/m)
    }).pipe(Effect.scoped))

  it.live("gets a signature with the host's name and contact, if they are set", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      yield* send(url)
      yield* send(url, { brandName: "Nordwind", supportUrl: "mailto:help@nordwind.test" })
      yield* send(url, { brandName: "", supportUrl: "https://nordwind.test/help" })
      const [without, both, contact] = mails.map(({ content }) => content.replaceAll("=20\r\n", " \r\n"))
      assert.notMatch(without!, /^-- /m)
      assert.match(both!, /The end\r\n-- \r\nNordwind\r\nhelp@nordwind\.test\r\n/)
      assert.match(contact!, /The end\r\n-- \r\nhttps:\/\/nordwind\.test\/help\r\n/)
    }).pipe(Effect.scoped))

  it.live("gets each attempt of a mail that waits under the same id, and another mail under another one", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      for (const id of ["expired:1", "expired:1", "expired:2"]) yield* send(url, undefined, id)
      const [first, again, other] = mails.map(({ content }) => /^Message-ID: <(.*)@example\.test>/mi.exec(content)?.[1])
      assert.isDefined(first)
      assert.strictEqual(again, first)
      assert.notStrictEqual(other, first)
    }).pipe(Effect.scoped))

  it.live("that refuses the recipient does so permanently, and one that refuses the sender does not", () =>
    Effect.gen(function*() {
      for (const [refuses, isRefused] of [["recipient", true], ["sender", false]] as const) {
        const { url } = yield* mailServer(refuses)
        assert.deepInclude(yield* Effect.flip(send(url)), { isRefused, reason: "the mail server answered 550" })
      }
      assert.deepInclude(yield* Effect.flip(send("smtp://127.0.0.1:1")), { isRefused: false })
    }).pipe(Effect.scoped))

  it.live("that rejects the mail, or the login, is reported by its code only", () =>
    Effect.gen(function*() {
      const { url } = yield* mailServer("sender")
      assert.strictEqual((yield* Effect.flip(send(url))).reason, "the mail server answered 550")
      const stranger = url.replace(":word@", ":other@")
      assert.strictEqual((yield* Effect.flip(send(stranger))).reason, "the mail server answered 535")
    }).pipe(Effect.scoped))

  it.live("that is unreachable is reported by its code", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(send("smtp://127.0.0.1:9"))
      assert.match(reason, /^the mail server cannot be used \(E\w+\)$/)
    }))
})

describe("a test mail", () => {
  const test = Effect.fnUntraced(function*(url: string) {
    const app = yield* startApp(["--mail-from", FROM], { VPS_SERVICE_SMTP_URL: url })
    const browser = yield* signInAs(app, "operator")
    const body = { to: "operator@example.test" }
    return yield* browser.call({ method: "POST", path: "/operator/commands/mails.test", body })
  })

  it.live("goes to the mail server as mails to customers do, and its outcome is the result", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const { body, status } = yield* test(url)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, {
        kind: "test",
        to: "operator@example.test",
        state: "sent",
        error: null,
        account_id: null
      })
      const received = mails.filter(({ content }) => content.includes("Subject: Test of the mail server"))
      assert.deepStrictEqual(received.map(({ to }) => to), [["operator@example.test"]])
      const refusing = yield* mailServer("recipient")
      assert.deepInclude((yield* test(refusing.url)).body, {
        state: "failed",
        error: "the mail server answered 550"
      })
    }).pipe(Effect.scoped))
})

describe("a reset password", () => {
  it.live("is mailed to the account's owner, and appears only there", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const folder = yield* temporaryFolder
      const database = join(folder, "service.db")
      const app = yield* startApp(["--mail-from", FROM, "--database", database], { VPS_SERVICE_SMTP_URL: url })
      const { id } = yield* instanceOf(app)
      const answer = yield* reset(app, id)
      assert.strictEqual(answer.status, 200)
      const received = yield* until(
        Effect.sync(() => mails.find(({ content }) => content.includes("New root password")))
      )
      assert.deepStrictEqual(received.to, ["owner@example.test"])
      assert.include(received.content, answer.body.password)
      const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
      assert.isNotEmpty(files)
      for (const { name } of files) {
        assert.isFalse(readFileSync(join(folder, name)).includes(answer.body.password), name)
      }
      assert.isUndefined(yield* auditOf(app, id))
    }).pipe(Effect.scoped))

  it.live("in the panel is mailed only on request", () =>
    Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const app = yield* startApp([], { VPS_SERVICE_SMTP_URL: url })
      const { id } = yield* instanceOf(app)
      const browser = yield* signInAs(app, "customer")
      const path = `/accounts/1/instances/${id}/reset-password`
      const resets = (mail: boolean) =>
        Effect.map(browser.call({ method: "POST", path, body: { mail } }), ({ body }) => body.password as string)
      const [silent, mailed] = [yield* resets(false), yield* resets(true)]
      const copy = "New root password"
      const copies = Effect.sync(() => mails.filter(({ content }) => content.includes(copy)))
      const [received, ...others] = yield* until(Effect.map(copies, (all) => all.length === 0 ? undefined : all))
      assert.include(received!.content, mailed)
      assert.deepStrictEqual(others, [])
      assert.notInclude(mails.map(({ content }) => content).join(), silent)
      assert.strictEqual((yield* browser.call({ method: "POST", path })).status, 422)
    }).pipe(Effect.scoped))

  it.live("is answered also when the server takes no mail; the feed says so after three tries", () =>
    Effect.gen(function*() {
      const { tried, url } = yield* mailServer("sender")
      const app = yield* startApp([], { VPS_SERVICE_SMTP_URL: url })
      yield* app.inside(withoutConfirmations)
      const { id } = yield* instanceOf(app)
      const answer = yield* reset(app, id)
      assert.strictEqual(answer.status, 200)
      assert.isNotEmpty(answer.body.password)
      for (const tries of [1, 2]) {
        yield* until(Effect.sync(() => tried.count === tries ? true : undefined))
        yield* app.control("POST", "/clock", { advance_ms: 60_000 })
      }
      const entry = yield* until(auditOf(app, id))
      assert.strictEqual(tried.count, 3)
      assert.deepInclude(entry, { type: "reset_password", status: "failed", actor: "system", request_id: "r-reset" })
      assert.notInclude(entry.error, answer.body.password)
    }).pipe(Effect.scoped))
})
