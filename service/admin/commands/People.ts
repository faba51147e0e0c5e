/** The commands for people who sign in to the panel. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Config } from "../../config/Config.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Calendar.ts"
import { ROLES } from "../../domain/Role.ts"
import { invite } from "../../people/Invite.ts"
import { linkTo, panelOrigin, sendLink } from "../../people/Links.ts"
import { type ListedPerson, People as PeopleRepository } from "../../persistence/people/People.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { queryWord } from "#contract/Primitives"
import { addFacts } from "../AuditFacts.ts"
import { reject } from "../CommandRejected.ts"
import { Email, Id, type Input, Name, Rows } from "../InputSchemas.ts"
import { findAccount, findOpenAccount } from "./Accounts.ts"

export const Invitation = () =>
  Schema.Struct({
    email: Email,
    /** The part of the address before the @ by default. */
    name: Schema.optionalKey(Name),
    role: queryWord(ROLES),
    /** Required for customers. */
    account_id: Schema.optionalKey(Id)
  })

/** The result is the only place that contains the link, besides the mail. */
export const invitePerson = Effect.fnUntraced(function*(input: Input<typeof Invitation>) {
  const { account_id: accountId, email, name = email.split("@")[0]!, role } = input
  if (role === "customer" && accountId === undefined) {
    return yield* reject("account_id: A customer is a member of an account. Specify which.")
  }
  if (accountId !== undefined) yield* findOpenAccount(accountId)
  const { expiresAt, person, token } = yield* (yield* Transaction).run(
    Effect.tap(invite({ email, name, role, accountId }), ({ person: { id } }) => addFacts({ person_id: id }))
  ).pipe(Effect.catchTag("InvitationRejected", ({ message }) => reject(message)))
  const mailed = yield* sendLink(person.email, token, expiresAt)
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    link: linkTo(panelOrigin(yield* Config), token),
    expires_at: toTimestamp(expiresAt),
    mailed
  }
})

export const PersonList = () =>
  Schema.Struct({
    account_id: Schema.optionalKey(Id),
    /** Part of the name or of the e-mail address, in any case. */
    search: Schema.optionalKey(Name),
    limit: Rows
  })

const toRecord = Effect.fnUntraced(function*(person: ListedPerson) {
  const accounts = yield* (yield* PeopleRepository).accountsOf(person.id)
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    accounts: accounts.map(({ id }) => id),
    passkeys: person.passkeys,
    invited_until: toOptionalTimestamp(person.invitedUntil),
    last_seen_at: toOptionalTimestamp(person.lastSeenAt),
    created_at: toTimestamp(person.createdAt)
  }
})

export const listPeople = Effect.fnUntraced(function*({ account_id, limit, search }: Input<typeof PersonList>) {
  if (account_id !== undefined) yield* findAccount(account_id)
  return yield* Effect.forEach(yield* (yield* PeopleRepository).list(account_id ?? null, limit, search), toRecord)
})

/** Ends the person's sessions at once. API keys of their accounts remain. */
export const removePerson = Effect.fnUntraced(function*({ id }: { id: number }) {
  const people = yield* PeopleRepository
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const person = yield* people.find(id)
    if (person === undefined) return yield* reject(`Person ${id} not found. Run "people list" to see all people.`)
    yield* people.remove(id)
    yield* addFacts({ email: person.email })
    return { id, email: person.email, removed: true }
  }))
})
