/** Invitations of people to accounts: new ones, existing ones, and those that are rejected. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Limits } from "#service/config/Limits"
import { type Invitation, invite } from "#service/people/Invite"
import { Accounts } from "#service/persistence/Accounts"
import { People } from "#service/persistence/people/People"
import { Transaction } from "#service/persistence/Transaction"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { coreLayer } from "../support/service.ts"

const write = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(useCase))

const inviting = (invitation: Partial<Invitation>) =>
  write(invite({ email: "new@example.test", name: "New", role: "customer", accountId: 1, ...invitation }))

const refusal = (invitation: Partial<Invitation>) =>
  Effect.map(Effect.flip(inviting(invitation)), ({ message }) => message)

const OPERATOR = "operator@example.test"

describe("an invitation", () => {
  it.effect("adds a person by the address without its case, and makes them a member", () =>
    Effect.gen(function*() {
      const { person } = yield* inviting({ email: " New@Example.test" })
      assert.deepInclude(person, { email: "new@example.test", name: "New", role: "customer" })
      const people = yield* People
      assert.deepInclude(yield* people.findByEmail("new@example.test"), { id: person.id, handle: person.handle })
      assert.isTrue(yield* people.isMember(person.id, 1))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("gives an existing person another account, and keeps their name and role", () =>
    Effect.gen(function*() {
      const vat = { treatment: "domestic", rate: 1900 } as const
      const account = { email: "b@example.test", currency: "EUR", vat, at: 0 }
      const accountId = yield* write(Effect.flatMap(Accounts, (accounts) => accounts.create(account)))
      const { person } = yield* inviting({ email: OPERATOR, accountId })
      assert.strictEqual(person.role, "operator")
      assert.notStrictEqual(person.name, "New")
      assert.isTrue(yield* Effect.flatMap(People, ({ isMember }) => isMember(person.id, accountId)))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("does not change a role", () =>
    Effect.gen(function*() {
      const again = yield* inviting({ email: OPERATOR, role: "operator", accountId: undefined })
      assert.strictEqual(again.person.email, OPERATOR)
      assert.include(
        yield* refusal({ email: OPERATOR, accountId: undefined }),
        "operator@example.test belongs to a person with the role operator. Remove that person first"
      )
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is rejected by an account with the most members, unless the person is one already", () =>
    Effect.gen(function*() {
      const first = yield* inviting({})
      const full = "The account has 2 members, the most that are possible. Remove one first."
      assert.strictEqual(yield* refusal({ email: "third@example.test" }), full)
      assert.notStrictEqual((yield* inviting({})).token, first.token)
    }).pipe(
      Effect.provideService(Limits, { ...DEFAULT_LIMITS, PEOPLE_PER_ACCOUNT_MAX: 2 }),
      Effect.provide(coreLayer())
    ))
})
