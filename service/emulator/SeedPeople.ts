/** The people who may sign in to the panel of an emulator: the seeded account's owner, and an operator. */
import * as Effect from "effect/Effect"
import { linkTo, makeLink } from "../people/Links.ts"
import { newToken, signInTime } from "../people/Tokens.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { People } from "../persistence/people/People.ts"
import { Transaction } from "../persistence/Transaction.ts"
import type { Role } from "../contract/Words.ts"

const PEOPLE = {
  customer: { email: "owner@example.test", name: "Emulated customer" },
  operator: { email: "operator@example.test", name: "Emulated operator" }
} as const

const ensure = Effect.fnUntraced(function*(role: Role) {
  const people = yield* People
  const { email, name } = PEOPLE[role]
  const existing = yield* people.findByEmail(email)
  return existing?.id
    ?? (yield* people.create({ email, name, role, handle: newToken(), createdAt: yield* signInTime }))
})

/** Adds those that are missing, in a transaction of the caller; returns their ids. */
export const ensurePeople = Effect.fnUntraced(function*(accountId: number) {
  const [customer, operator] = [yield* ensure("customer"), yield* ensure("operator")]
  const account = yield* (yield* Accounts).find(accountId)
  if (account !== undefined) yield* (yield* People).join(customer, accountId, yield* signInTime)
  return { customer, operator }
})

/** Links that sign each of them in once. */
export const makeLinks = Effect.fnUntraced(function*(accountId: number, origin: string) {
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { customer, operator } = yield* ensurePeople(accountId)
    return {
      customer: linkTo(origin, (yield* makeLink(customer)).token),
      operator: linkTo(origin, (yield* makeLink(operator)).token)
    }
  }))
})
