/** Adds people, and makes them members of accounts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Limits } from "../config/Limits.ts"
import type { Role } from "../domain/Role.ts"
import { People } from "../persistence/people/People.ts"
import { makeLink, normalEmail } from "./Links.ts"
import { newToken, signInTime } from "./Tokens.ts"

/** `message` says what is wrong, then what to do. */
export class InvitationRejected extends Schema.TaggedError<InvitationRejected>()("InvitationRejected", {
  message: Schema.String
}) {}

const reject = (message: string) => new InvitationRejected({ message })

export interface Invitation {
  readonly email: string
  readonly name: string
  readonly role: Role
  /** The account of which the person becomes a member; undefined for an operator without one. */
  readonly accountId: number | undefined
}

const findOrAdd = Effect.fnUntraced(function*({ name, role, ...invitation }: Invitation) {
  const people = yield* People
  const email = normalEmail(invitation.email)
  const existing = yield* people.findByEmail(email)
  if (existing === undefined) {
    const person = { email, name, role, handle: newToken(), createdAt: yield* signInTime }
    return { ...person, id: yield* people.create(person) }
  }
  if (existing.role !== role && invitation.accountId === undefined) {
    return yield* reject(
      `${email} belongs to a person with the role ${existing.role}. Remove that person first, or use another address.`
    )
  }
  return existing
})

const checkRoom = Effect.fnUntraced(function*(accountId: number) {
  const { PEOPLE_PER_ACCOUNT_MAX: max } = yield* Limits
  const members = yield* (yield* People).list(accountId, max)
  if (members.length >= max) {
    return yield* reject(`The account has ${max} members, the most that are possible. Remove one first.`)
  }
})

/**
 * Invites a person, in a transaction of the caller; an existing one gets a new link. Fails with `InvitationRejected`.
 */
export const invite = Effect.fnUntraced(function*(invitation: Invitation) {
  const { accountId } = invitation
  const person = yield* findOrAdd(invitation)
  if (accountId !== undefined && !(yield* (yield* People).isMember(person.id, accountId))) {
    yield* checkRoom(accountId)
    yield* (yield* People).join(person.id, accountId, yield* signInTime)
  }
  return { person, ...(yield* makeLink(person.id)) }
})
