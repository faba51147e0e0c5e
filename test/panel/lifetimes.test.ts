/** The lifetimes of links and sessions, their mails, and the domain of passkeys. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { Config } from "#service/config/Config"
import { resolve } from "#service/config/Resolve"
import type { Mail } from "#service/mail/Mailer"
import { mailLink, makeLink, panelOrigin, sendLink } from "#service/people/Links"
import * as PasskeyDomain from "#service/people/PasskeyDomain"
import { freshUntil, identify, refresh, signInByLink, stillSignedIn } from "#service/people/SignIn"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { Passkeys } from "#service/persistence/people/Passkeys"
import { People } from "#service/persistence/people/People"
import { Sessions } from "#service/persistence/people/Sessions"
import { Transaction } from "#service/persistence/Transaction"
import { Mailbox } from "../support/mailbox.ts"
import { coreLayer, persistenceLayer } from "../support/service.ts"

const HOUR = 3_600_000
const MINUTE = 60_000

const BROWSER = { browser: { address: "192.0.2.1", agent: "Test \u202e" }, requestId: null }

const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))

const person = Effect.flatMap(People, ({ findByEmail }) => findByEmail("owner@example.test"))

/** The token of a new session of the seeded customer. */
const begin = Effect.gen(function*() {
  const { token } = yield* write(makeLink((yield* person)!.id))
  return (yield* signInByLink(token, BROWSER))!
})

describe("a session", () => {
  it.effect("ends after 12 hours without a request, and after a week in any case", () =>
    Effect.gen(function*() {
      const silent = yield* begin
      yield* TestClock.adjust(12 * HOUR - 1)
      assert.isDefined(yield* identify(silent))
      yield* TestClock.adjust(12 * HOUR)
      assert.isUndefined(yield* identify(silent))
      yield* TestClock.adjust(1)
      const busy = yield* begin
      const { session } = (yield* identify(busy))!
      const listed = yield* (yield* Sessions).ofPerson(session.personId)
      assert.deepStrictEqual(listed.map(({ id }) => id), [session.id], "ended ones are deleted")
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        yield* TestClock.adjust(6 * HOUR)
        assert.isDefined(yield* identify(busy), `after ${hours} hours`)
        assert.isTrue(yield* stillSignedIn(session.id))
      }
      yield* TestClock.adjust(6 * HOUR)
      assert.isUndefined(yield* identify(busy))
      assert.isFalse(yield* stillSignedIn(session.id))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is in the audit log with its person, and names the browser, cut where it is too long", () =>
    Effect.gen(function*() {
      const { id, email } = (yield* person)!
      const { token } = yield* write(makeLink(id))
      const browser = { address: "192.0.2.1", agent: "x".repeat(201) }
      const session = (yield* signInByLink(token, { browser, requestId: "r-1" }))!
      const [entry] = yield* Effect.flatMap(AuditEntries, ({ after }) => after(0, 1))
      const actor = { kind: "person", personId: id, name: email, from: "192.0.2.1", requestId: "r-1" } as const
      assert.deepInclude(entry, { action: "sign_in.link", outcome: "done", actor })
      const found = (yield* identify(session))!.session
      assert.deepInclude(found, { method: "link", address: "192.0.2.1", agent: "x".repeat(200) })
      assert.isUndefined(yield* identify("x".repeat(43)))
      assert.isFalse(yield* stillSignedIn(found.id + 1))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("has its last request within a minute, and a new token after a confirmation", () =>
    Effect.gen(function*() {
      const token = yield* begin
      const seen = Effect.map(identify(token), (found) => found!.session.seenAt)
      yield* TestClock.adjust(MINUTE - 1)
      yield* seen
      assert.strictEqual(yield* seen, 0)
      yield* TestClock.adjust(1)
      yield* seen
      assert.strictEqual(yield* seen, MINUTE)
      const { session } = (yield* identify(token))!
      const next = yield* refresh(session)
      assert.isUndefined(yield* identify(token))
      const fresh = (yield* identify(next))!.session
      assert.strictEqual(yield* freshUntil(fresh), 6 * MINUTE)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is mailed to its person when it begins, without what could format the text", () =>
    Effect.gen(function*() {
      yield* begin
      yield* Effect.yieldNow
      const [mail] = (yield* Mailbox).received
      assert.deepInclude(mail, { to: "owner@example.test", subject: "New sign-in to the panel" })
      assert.include(Redacted.value(mail!.text), "with a link on January 1, 1970 at 00:00 UTC, from 192.0.2.1 (Test ?)")
    }).pipe(Effect.provide(coreLayer())))
})

describe("a link", () => {
  it.effect("is valid for a day, and until the next one is made", () =>
    Effect.gen(function*() {
      const { id } = (yield* person)!
      const first = yield* write(makeLink(id))
      const second = yield* write(makeLink(id))
      assert.isUndefined(yield* signInByLink(first.token, BROWSER))
      yield* TestClock.adjust(24 * HOUR)
      assert.isUndefined(yield* signInByLink(second.token, BROWSER))
      const third = yield* write(makeLink(id))
      yield* TestClock.adjust(24 * HOUR - 1)
      assert.isDefined(yield* signInByLink(third.token, BROWSER))
    }).pipe(Effect.provide(coreLayer())))
})

/** The token of a mailed link. */
const mailedToken = ({ text }: Mail): string =>
  /https:\/\/vps\.example\.test\/panel\/sign-in#([\w-]{43})\s/.exec(Redacted.value(text))![1]!

const ENVIRONMENT = { VPS_SERVICE_SMTP_URL: "smtp://mail.example.test" }
const configured = Effect.provideService(Config, resolve(["--panel-url", "https://vps.example.test/"], ENVIRONMENT))

describe("a link that is requested by mail", () => {
  it.effect("is sent once in 20 minutes to a person with that address, and leaves earlier links valid", () =>
    Effect.gen(function*() {
      const { received } = yield* Mailbox
      const request = (email: string) => Effect.andThen(mailLink(email), Effect.yieldNow)
      const invited = yield* write(makeLink((yield* person)!.id))
      yield* TestClock.adjust(20 * MINUTE - 1)
      yield* request("owner@example.test")
      assert.lengthOf(received, 0, "the invitation is as new")
      yield* TestClock.adjust(1)
      yield* request("stranger@example.test")
      yield* request(" Owner@Example.Test ")
      yield* request("owner@example.test")
      assert.deepStrictEqual(received.map(({ to }) => to), ["owner@example.test"])
      yield* TestClock.adjust(20 * MINUTE)
      yield* request("owner@example.test")
      assert.lengthOf(received, 2)
      const tokens = [invited.token, ...received.map(mailedToken)]
      for (const token of tokens) assert.isDefined(yield* signInByLink(token, BROWSER))
    }).pipe(configured, Effect.provide(coreLayer())))

  it.effect("is not sent without a mail server, and may not arrive", () =>
    Effect.gen(function*() {
      const box = yield* Mailbox
      const send = sendLink("owner@example.test", "t".repeat(43), 0)
      assert.isFalse(yield* Effect.provideService(send, Config, resolve([], {})))
      assert.lengthOf(box.received, 0)
      assert.isTrue(yield* configured(send))
      box.refusals = 3
      const sending = yield* Effect.forkChild(configured(send))
      yield* TestClock.adjust(HOUR)
      assert.isFalse(yield* Fiber.join(sending))
    }).pipe(Effect.provide(coreLayer())))

  it("leads to the panel's address, else to this computer", () => {
    assert.strictEqual(panelOrigin({ panelUrl: "https://vps.example.com/x/", port: 1 }), "https://vps.example.com")
    assert.strictEqual(panelOrigin({ panelUrl: "", port: 8080 }), "http://localhost:8080")
  })
})

describe("the domain of passkeys", () => {
  it.each([
    ["the configured one", { panelUrl: "https://vps.example.com", passkeyDomain: "example.com" }, "example.com"],
    ["the host of the panel's address", { panelUrl: "https://vps.example.com", passkeyDomain: "" }, "vps.example.com"],
    ["localhost on this computer", { panelUrl: "", passkeyDomain: "" }, "localhost"]
  ])("is %s", (_, settings, expected) => {
    assert.strictEqual(PasskeyDomain.domainAt(settings, "http://localhost:8080"), expected)
  })

  it("is none for a panel that is reached at an address", () => {
    assert.isUndefined(PasskeyDomain.domainAt({ panelUrl: "", passkeyDomain: "" }, "http://192.0.2.1:8080"))
  })

  const start = (settings: { readonly panelUrl: string; readonly passkeyDomain: string }) =>
    Effect.scoped(Layer.build(PasskeyDomain.layer(settings)))

  it.effect("is the host of the panel's address, or a parent of it, and cannot change once there are passkeys", () =>
    Effect.gen(function*() {
      const panelUrl = "https://vps.example.com"
      yield* start({ panelUrl, passkeyDomain: "" })
      yield* start({ panelUrl, passkeyDomain: "example.com" })
      const outside = yield* Effect.flip(start({ panelUrl, passkeyDomain: "example.org" }))
      assert.include(outside.message, "should be the host of --panel-url (vps.example.com) or a parent of it")
      assert.include(outside.message, "got \"example.org\".")
      yield* Effect.flip(start({ panelUrl: "https://notexample.com", passkeyDomain: "example.com" }))
      yield* start({ panelUrl: "", passkeyDomain: "example.org" })
      yield* start({ panelUrl: "", passkeyDomain: "" })
      const id = yield* Effect.flatMap(
        People,
        (people) => people.create({ email: "a@b", name: "a", role: "customer", handle: "h", createdAt: 0 })
      )
      const key = { credential: "c", publicKey: "p", counter: 0, transports: "", backedUp: true, name: "n" }
      const passkeys = yield* Passkeys
      yield* passkeys.add({ ...key, personId: id, domain: "vps.example.com", createdAt: 0 })
      yield* start({ panelUrl, passkeyDomain: "" })
      const changed = yield* Effect.flip(start({ panelUrl: "https://panel.example.com", passkeyDomain: "" }))
      assert.include(
        changed.message,
        "People have passkeys for vps.example.com, which do not work for panel.example.com. Set --passkey-domain to "
          + "vps.example.com; the panel's address must be within it."
      )
    }).pipe(Effect.provide(persistenceLayer)))
})
