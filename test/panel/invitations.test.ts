/** Invitations of people to accounts: pending until they are accepted, and silent about who is known. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Limits } from "#service/config/Limits"
import { acceptByToken, invite, type NewInvitation } from "#service/people/Invite"
import { makeLink } from "#service/people/Links"
import { identify, signInByLink } from "#service/people/SignIn"
import { Accounts } from "#service/persistence/Accounts"
import { Invitations } from "#service/persistence/people/Invitations"
import { People } from "#service/persistence/people/People"
import { Transaction } from "#service/persistence/Transaction"
import { startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { openLink, PanelBrowser, signInAs, tokenIn } from "../support/panel.ts"
import { coreLayer } from "../support/service.ts"

const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))

const NEW = {
  email: "new@example.test",
  name: null,
  role: "customer",
  accountId: 1,
  permission: "full",
  invitedBy: null
} as const

const inviting = (invitation: Partial<NewInvitation>, paced = false) =>
  write(invite({ ...NEW, ...invitation }, { paced }))

const refusal = (invitation: Partial<NewInvitation>, paced = false) =>
  Effect.map(Effect.flip(inviting(invitation, paced)), ({ message }) => message)

const CLIENT = { browser: { address: "192.0.2.1", agent: "Test" }, requestId: null }

/** The person whom an invitation signs in; undefined if it is not valid. */
const accepting = Effect.fnUntraced(function*(token: string, name?: string) {
  const session = yield* acceptByToken(token, name, CLIENT)
  return session === undefined ? undefined : (yield* identify(session))!.person
})

const OPERATOR = "operator@example.test"
const ANOTHER = {
  email: "b@example.test",
  currency: "EUR",
  vat: { treatment: "domestic", rate: 1900 },
  at: 0
} as const
const DAY = 24 * 3_600_000
const MINUTE = 60_000

describe("an invitation", () => {
  it.effect("adds a person by the address without its case when it is accepted, and makes them a member", () =>
    Effect.gen(function*() {
      const people = yield* People
      const { invitation, token } = yield* inviting({ email: " New@Example.test" })
      assert.isUndefined(yield* people.findByEmail(invitation.email))
      const person = yield* accepting(token, "Nora")
      assert.deepInclude(person, { email: "new@example.test", name: "Nora", role: "customer" })
      assert.isTrue(yield* people.isMember(person!.id, 1))
      assert.isUndefined(yield* accepting(token), "it works once")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("gives an existing person another account behind their own, and keeps name, role and links", () =>
    Effect.gen(function*() {
      const people = yield* People
      const operator = (yield* people.findByEmail(OPERATOR))!
      const second = yield* write(Effect.flatMap(Accounts, (accounts) => accounts.create(ANOTHER)))
      yield* write(people.join(operator.id, second, 0))
      const link = yield* write(makeLink(operator.id))
      const { token } = yield* inviting({ email: OPERATOR, accountId: 1 })
      assert.isFalse(yield* people.isMember(operator.id, 1))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* accepting(token, "Other"), operator)
      assert.deepStrictEqual((yield* people.accountsOf(operator.id)).map(({ id }) => id), [second, 1])
      assert.isDefined(yield* signInByLink(link.token, CLIENT))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("does not make a customer an operator", () =>
    Effect.gen(function*() {
      const { token } = yield* inviting({ email: "owner@example.test", role: "operator", accountId: null })
      const { message } = yield* Effect.flip(acceptByToken(token, undefined, CLIENT))
      assert.include(message, "owner@example.test belongs to a customer")
      const first = yield* inviting({ role: "operator", accountId: null })
      assert.deepInclude(yield* accepting(first.token), { email: NEW.email, role: "operator" })
    }).pipe(Effect.provide(coreLayer())))

  it.effect("ends after a week; another one to the same address replaces it", () =>
    Effect.gen(function*() {
      const old = yield* inviting({})
      const late = yield* inviting({})
      yield* TestClock.adjust(7 * DAY)
      assert.deepStrictEqual([yield* accepting(old.token), yield* accepting(late.token)], [undefined, undefined])
      const again = yield* inviting({})
      yield* TestClock.adjust(7 * DAY - 1)
      assert.isDefined(yield* accepting(again.token))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is rejected by an account with the most members and invitations, also when it is accepted", () =>
    Effect.gen(function*() {
      const people = yield* People
      yield* inviting({})
      // Its own earlier one does not count, nor one of another account, which it does not replace either.
      const second = yield* write(Effect.flatMap(Accounts, (accounts) => accounts.create(ANOTHER)))
      yield* inviting({ accountId: second })
      yield* inviting({ accountId: second, email: "other@example.test" })
      const { token } = yield* inviting({})
      const full = "The account has 2 members and invitations, the most that are possible. Remove one first."
      assert.strictEqual(yield* refusal({ email: "third@example.test" }), full)
      assert.include(yield* refusal({ email: "owner@example.test" }), "owner@example.test is a member of the account")
      yield* write(people.join((yield* people.findByEmail(OPERATOR))!.id, 1, 0))
      assert.strictEqual((yield* Effect.flip(acceptByToken(token, undefined, CLIENT))).message, full)
      assert.lengthOf(yield* (yield* Invitations).ofAddress(NEW.email, 0), 2)
    }).pipe(
      Effect.provideService(Limits, { ...DEFAULT_LIMITS, PEOPLE_PER_ACCOUNT_MAX: 2 }),
      Effect.provide(coreLayer())
    ))

  it.effect("of a member has a pace: for one address, and for all of a day", () =>
    Effect.gen(function*() {
      yield* inviting({}, true)
      assert.strictEqual(yield* refusal({}, true), "new@example.test was invited a moment ago. Try again later.")
      yield* TestClock.adjust(20 * MINUTE)
      yield* inviting({}, true)
      yield* inviting({ email: "b@example.test" }, true)
      const most = "The account has sent 2 invitations in 24 hours, the most that are possible. Wait a day."
      assert.strictEqual(yield* refusal({ email: "c@example.test" }, true), most)
      yield* inviting({ email: "c@example.test" })
      yield* TestClock.adjust(DAY)
      yield* inviting({ email: "d@example.test" }, true)
    }).pipe(
      Effect.provideService(Limits, { ...DEFAULT_LIMITS, INVITATIONS_PER_DAY: 2 }),
      Effect.provide(coreLayer())
    ))
})

const COMMON = ["email", "expires_at", "id", "invited_by", "link", "mailed", "permission", "sent_at", "state"]

/** A member of another account, who has signed in. */
const stranger = Effect.fnUntraced(function*(app: TestApp) {
  const operator = yield* signInAs(app, "operator")
  const command = (name: string, body: object) =>
    operator.call({ method: "POST", path: `/operator/commands/${name}`, body })
  const email = "b@example.test"
  const account = yield* command("accounts.create", { email, currency: "EUR", vat_treatment: "domestic" })
  const { body } = yield* command("people.invite", { email, role: "customer", account_id: account.body.id })
  const browser = new PanelBrowser(app.origin)
  yield* openLink(browser, body.link)
  return { browser, email, accountId: account.body.id as number, command }
})

const post = (path: string, body: object = {}) => ({ method: "POST", path, body })

describe("an invitation by a member", () => {
  it.live("shows the typed address only, the same for people who are known, and can be withdrawn and sent again", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser, email } = yield* stranger(app)
      const path = "/accounts/1/invitations"
      const known = yield* owner.call(post(path, { email }))
      const unknown = yield* owner.call(post(path, { email: "nobody@example.test" }))
      for (const { body, status } of [known, unknown]) {
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(Object.keys(body).toSorted(), COMMON)
        assert.deepInclude(body, { invited_by: "owner@example.test", state: "pending", mailed: false })
      }
      const { body: members } = yield* owner.call({ path: "/accounts/1/people" })
      assert.lengthOf(members, 1, "nobody has joined")
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/v1/instances" })).status, 404)
      const another = yield* owner.call(post(`${path}/${unknown.body.id}/send`))
      assert.strictEqual(another.body.email, "nobody@example.test")
      const again = yield* owner.call(post(`${path}/${known.body.id}/send`))
      assert.strictEqual(again.status, 200)
      const replaced = yield* browser.call(post("/sign-in/invitation", { token: tokenIn(known.body.link) }))
      assert.strictEqual(replaced.status, 403)
      const foreign = `/accounts/2/invitations/${again.body.id}`
      assert.strictEqual((yield* browser.call({ method: "DELETE", path: foreign })).status, 404)
      const withdraw = owner.call({ method: "DELETE", path: `${path}/${again.body.id}` })
      assert.deepStrictEqual([(yield* withdraw).status, (yield* withdraw).status], [200, 404])
      assert.deepStrictEqual((yield* owner.call({ path })).body.map((one: { email: string }) => one.email), [
        "nobody@example.test"
      ])
      assert.strictEqual((yield* openLink(browser, again.body.link)).status, 403)
      assert.deepStrictEqual((yield* browser.call({ path: "/session" })).body.invitations, [])
    })))

  it.live("is accepted or declined by the signed-in person with its address, whose account stays the first", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { accountId, browser, email } = yield* stranger(app)
      const session = Effect.map(browser.call({ path: "/session" }), ({ body }) => body)
      const sending = owner.call(post("/accounts/1/invitations", { email }))
      yield* sending
      const [declined] = (yield* session).invitations
      assert.deepInclude(declined, { account: "owner@example.test", invited_by: "owner@example.test" })
      assert.strictEqual((yield* owner.call(post(`/me/invitations/${declined.id}/accept`))).status, 404)
      assert.strictEqual(
        (yield* browser.call({ method: "DELETE", path: `/me/invitations/${declined.id}` })).status,
        200
      )
      assert.deepStrictEqual((yield* session).invitations, [])
      yield* sending
      const [accepted] = (yield* session).invitations
      assert.strictEqual((yield* browser.call(post(`/me/invitations/${accepted.id}/accept`))).status, 200)
      const { accounts, invitations } = yield* session
      assert.deepStrictEqual(accounts.map(({ id }: { id: number }) => id), [accountId, 1])
      assert.deepStrictEqual(invitations, [])
      const { body: entries } = yield* (yield* signInAs(app, "operator")).call(
        post("/operator/commands/audit.list", { account_id: 1, limit: 20 })
      )
      const actions = entries.map(({ action }: { action: string }) => action).filter((one: string) =>
        one.startsWith("invitations.")
      )
      assert.deepStrictEqual(actions, [
        "invitations.accept",
        "invitations.send",
        "invitations.decline",
        "invitations.send"
      ])
    })))

  it.live("by its link shows what it is, lets a new person choose a name, and can be declined", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { body: { link } } = yield* owner.call(post("/accounts/1/invitations", { email: "new@example.test" }))
      const browser = new PanelBrowser(app.origin)
      const token = tokenIn(link)
      const shown = yield* browser.call(post("/sign-in/invitation", { token }))
      assert.deepInclude(shown.body, { email: "new@example.test", account: "owner@example.test", is_new: true })
      yield* browser.call(post("/sign-in/invitation/decline", { token }))
      const gone = yield* browser.call(post("/sign-in/invitation/accept", { token, name: "Nora" }))
      assert.deepStrictEqual([gone.status, gone.body.detail.slice(0, 28)], [403, "This invitation is not valid"])
    })))
})
