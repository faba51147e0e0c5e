/** The lifetimes of links and sessions, their mails, and the domain of passkeys. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeLink } from "#service/people/Links"
import * as Party from "#service/people/Party"
import { identify, signInByLink, stillSignedIn } from "#service/people/SignIn"
import { Passkeys } from "#service/persistence/people/Passkeys"
import { People } from "#service/persistence/people/People"
import { Transaction } from "#service/persistence/Transaction"
import { Mailbox } from "../support/mailbox.ts"
import { coreLayer, persistenceLayer } from "../support/service.ts"

const HOUR = 3_600_000

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
      const busy = yield* begin
      const { session } = (yield* identify(busy))!
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        yield* TestClock.adjust(6 * HOUR)
        assert.isDefined(yield* identify(busy), `after ${hours} hours`)
        assert.isTrue(yield* stillSignedIn(session.id))
      }
      yield* TestClock.adjust(6 * HOUR)
      assert.isUndefined(yield* identify(busy))
      assert.isFalse(yield* stillSignedIn(session.id))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is mailed to its person when it begins, without what could format the text", () =>
    Effect.gen(function*() {
      yield* begin
      yield* Effect.yieldNow
      const [mail] = (yield* Mailbox).received
      assert.deepInclude(mail, { to: "owner@example.test", subject: "New sign-in to the panel" })
      assert.include(Redacted.value(mail!.text), "with a link at 1970-01-01T00:00:00.000Z, from 192.0.2.1 (Test ?)")
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

describe("the domain of passkeys", () => {
  const start = (settings: { readonly panelUrl: string; readonly passkeyDomain: string }) =>
    Effect.scoped(Layer.build(Party.layer(settings)))

  it.effect("is the host of the panel's address, or a parent of it, and cannot change once there are passkeys", () =>
    Effect.gen(function*() {
      const panelUrl = "https://vps.example.com"
      yield* start({ panelUrl, passkeyDomain: "" })
      yield* start({ panelUrl, passkeyDomain: "example.com" })
      const outside = yield* Effect.flip(start({ panelUrl, passkeyDomain: "example.org" }))
      assert.include(outside.message, "should be the host of --panel-url (vps.example.com) or a parent of it")
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
        "People have passkeys for vps.example.com, which do not work for panel.example.com"
      )
    }).pipe(Effect.provide(persistenceLayer)))
})
