/** The commands for people who sign in to the panel. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Authentication } from "../../auth/Authentication.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { invitationFields, invitationLink, invite, mailInvitation } from "../../people/Invite.ts"
import { leaveKeys } from "../../people/AccountKeys.ts"
import { linkTo, makeLink, normalEmail, sendLink, servedPanel, signInTime } from "../../people/Links.ts"
import type { ApiKey } from "../../persistence/ApiKeys.ts"
import { Invitations } from "../../persistence/people/Invitations.ts"
import { type ListedPerson, People as PeopleRepository } from "../../persistence/people/People.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import { reject } from "../Input.ts"
import { findAccount, findOpenAccount } from "./Accounts.ts"
import { toRecord as keyRecord } from "./Keys.ts"
import type { Role } from "../../contract/Words.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"

/** A person keeps the role that they have. */
const checkRole = Effect.fnUntraced(function*(email: string, role: Role, accountId: number | null) {
  const person = yield* (yield* PeopleRepository).findByEmail(normalEmail(email))
  if (role !== "operator" || person === undefined || person.role === role && accountId !== null) return
  return yield* reject(
    person.role === role
      ? `${person.email} belongs to an operator already. Make a link with "people link ${person.id}".`
      : `${person.email} belongs to a person with the role ${person.role}. Remove that person first, or use another `
        + "address."
  )
})

/** The result is the only place that contains the link, besides the mail. */
const invitePerson = Effect.fnUntraced(function*(input: InputOf<"people.invite">) {
  const { account_id: accountId = null, email, name = null, permission = "full", role } = input
  if (role === "customer" && accountId === null) {
    return yield* reject("account_id: A customer is a member of an account. Specify which.")
  }
  if (accountId !== null) yield* findOpenAccount(accountId)
  const sent = yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* checkRole(email, role, accountId)
    const sent = yield* invite({ email, name, role, accountId, permission, invitedBy: null })
    yield* addFacts({ invitation_id: sent.invitation.id })
    return sent
  })).pipe(Effect.catchTag("Rejected", ({ message }) => reject(message)))
  const mailed = yield* mailInvitation(sent)
  const link = invitationLink(yield* servedPanel, sent.token)
  return { ...invitationFields(sent.invitation, yield* signInTime), link, mailed }
})

const listInvitations = Effect.fnUntraced(function*({ account_id, limit }: InputOf<"people.invitations">) {
  if (account_id !== undefined) yield* findAccount(account_id)
  const now = yield* signInTime
  const all = yield* (yield* Invitations).list(account_id ?? null, limit)
  return all.map((one) => invitationFields(one, now))
})

const withdrawInvitation = Effect.fnUntraced(function*({ id }: { id: number }) {
  const invitations = yield* Invitations
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const invitation = yield* invitations.find(id)
    if (invitation === undefined) {
      return yield* reject(`Invitation ${id} not found. Run "people invitations" to see all invitations.`)
    }
    yield* invitations.withdraw(id, yield* signInTime)
    const { accountId, email } = invitation
    yield* addFacts({ invitation_id: id, account_id: accountId, email })
    return { id, email, withdrawn: true as const }
  }))
})

const findPerson = Effect.fnUntraced(function*(id: number) {
  const person = yield* (yield* PeopleRepository).find(id)
  return person ?? (yield* reject(`Person ${id} not found. Run "people list" to see all people.`))
})

/** A link that signs the person in once, such as after a lost passkey. The result and the mail are all that have it. */
const linkPerson = Effect.fnUntraced(function*({ id }: { id: number }) {
  const { email, link: { expiresAt, token } } = yield* (yield* Transaction).run(Effect.gen(function*() {
    const { email } = yield* findPerson(id)
    yield* addFacts({ person_id: id, email })
    return { email, link: yield* makeLink(id) }
  }))
  const mailed = yield* sendLink(email, token, expiresAt)
  return { id, email, link: linkTo(yield* servedPanel, token), expires_at: toTimestamp(expiresAt), mailed }
})

const toRecord = Effect.fnUntraced(function*(person: ListedPerson) {
  const accounts = yield* (yield* PeopleRepository).accountsOf(person.id)
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    accounts: accounts.map(({ id }) => id),
    permission: person.permission,
    passkeys: person.passkeys,
    link_until: toOptionalTimestamp(person.linkUntil),
    last_seen_at: toOptionalTimestamp(person.lastSeenAt),
    created_at: toTimestamp(person.createdAt)
  }
})

const listPeople = Effect.fnUntraced(function*({ account_id, after, limit, search }: InputOf<"people.list">) {
  if (account_id !== undefined) yield* findAccount(account_id)
  return yield* Effect.forEach(
    yield* (yield* PeopleRepository).list(account_id ?? null, limit, search, after),
    toRecord
  )
})

/** Also for an account whose members can only read it. */
const setPermission = Effect.fnUntraced(function*(input: InputOf<"people.permission">) {
  const { account_id: accountId, id, permission } = input
  const people = yield* PeopleRepository
  yield* findOpenAccount(accountId)
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const before = yield* people.permissionOf(id, accountId)
    if (before === undefined) {
      return yield* reject(`Person ${id} is not a member of account ${accountId}. Run "people list ${accountId}".`)
    }
    yield* people.setPermission(id, accountId, permission)
    yield* addFacts({ person_id: id, before })
    return { id, account_id: accountId, permission }
  }))
})

/** Ends the person's sessions at once. The API keys that they may know remain, unless they are revoked, too. */
const removePerson = Effect.fnUntraced(function*({ id, revoke_keys: revoke = false }: InputOf<"people.remove">) {
  const now = yield* Clock.currentTimeMillis
  const { email, keys } = yield* (yield* Transaction).run(Effect.gen(function*() {
    const { email } = yield* findPerson(id)
    const keys = yield* leaveKeys(id, null, { revoke })
    yield* (yield* PeopleRepository).remove(id)
    yield* addFacts({ email, revoked_keys: keys.revoked.map((key) => key.id) })
    return { email, keys }
  }))
  if (keys.revoked.length > 0) yield* (yield* Authentication).clearCache
  const records = (some: ReadonlyArray<ApiKey>) => some.map((key) => keyRecord(key, now))
  return { id, email, removed: true as const, revoked: records(keys.revoked), remaining: records(keys.remaining) }
})

export const PEOPLE_USE_CASES = {
  "people.invite": invitePerson,
  "people.invitations": listInvitations,
  "people.withdraw": withdrawInvitation,
  "people.link": linkPerson,
  "people.list": listPeople,
  "people.permission": setPermission,
  "people.remove": removePerson
} satisfies UseCases
