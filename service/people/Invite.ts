/**
 * Invitations of people to accounts, and of operators. An invitation is pending until the person with its address
 * accepts it: signed in, or by the link in its mail, which proves that the address is theirs. Until then, nothing about
 * the invitation depends on whether that person is known.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { record } from "../audit/Audit.ts"
import { reject as rejectAs } from "../auth/Rejected.ts"
import { Config } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { Notices } from "../instances/Notices.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { type Invitation, Invitations } from "../persistence/people/Invitations.ts"
import { People, type Person } from "../persistence/people/People.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type By, recordBy } from "./Actor.ts"
import { digestOf, newToken, normalEmail, servedPanel, signInTime } from "./Links.ts"
import { announce, begin, type Client } from "./SignIn.ts"
import type { Permission, Role } from "../contract/Words.ts"

const reject = (message: string) => rejectAs("invalid", message)

export interface NewInvitation {
  readonly email: string
  readonly name: string | null
  readonly role: Role
  /** The account of which the person becomes a member; null for an operator without one. */
  readonly accountId: number | null
  /** In the account. */
  readonly permission: Permission
  /** The address of the member who invites; null for an operator. */
  readonly invitedBy: string | null
}

export interface Sent {
  readonly invitation: Invitation
  readonly token: string
}

/** An invitation as callers see it. */
export const invitationFields = (invitation: Invitation, now: number) => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  account_id: invitation.accountId,
  permission: invitation.permission,
  invited_by: invitation.invitedBy,
  state: invitation.expiresAt > now ? "pending" as const : "expired" as const,
  sent_at: toTimestamp(invitation.sentAt),
  expires_at: toTimestamp(invitation.expiresAt)
})
export type InvitationFields = ReturnType<typeof invitationFields>

/** The page that shows an invitation. The token is in the fragment, which no server, proxy or log receives. */
const INVITATION_PAGE = "/panel/invitation#"

export const invitationLink = (origin: string, token: string): string => `${origin}${INVITATION_PAGE}${token}`

const DAY_MILLIS = 24 * 3_600_000

const fullOf = (max: number) =>
  reject(`The account has ${max} members and invitations, the most that are possible. Remove one first.`)

const checkMembers = Effect.fnUntraced(function*(accountId: number, email: string, now: number) {
  const { PEOPLE_PER_ACCOUNT_MAX: max } = yield* Limits
  const members = yield* (yield* People).list(accountId, max)
  if (members.some((member) => member.email === email)) {
    return yield* reject(`${email} is a member of the account already. If the passkey is lost, request a link.`)
  }
  const invited = yield* (yield* Invitations).countOthers(accountId, now, email)
  if (members.length + invited >= max) return yield* fullOf(max)
})

/** Applies to members only: operators know what they do. */
const checkPace = Effect.fnUntraced(function*(accountId: number, email: string, now: number) {
  const invitations = yield* Invitations
  const { INVITATIONS_PER_DAY: max, LINK_MAIL_PAUSE_MILLIS } = yield* Limits
  const last = yield* invitations.lastSent(accountId, email)
  if (last !== undefined && last > now - LINK_MAIL_PAUSE_MILLIS) {
    return yield* reject(`${email} was invited a moment ago. Try again later.`)
  }
  if (last === undefined && (yield* invitations.countSent(accountId, now - DAY_MILLIS)) >= max) {
    return yield* reject(`The account has sent ${max} invitations in 24 hours, the most that are possible. Wait a day.`)
  }
})

/**
 * Stores an invitation with a new token, in a transaction of the caller; one of the same address to the same account is
 * replaced. Fails with `Rejected`.
 */
export const invite = Effect.fnUntraced(function*(wanted: NewInvitation, { paced = false } = {}) {
  const invitations = yield* Invitations
  const { INVITATION_KEPT_MILLIS, INVITATION_MILLIS } = yield* Limits
  const now = yield* signInTime
  const email = normalEmail(wanted.email)
  const { accountId } = wanted
  if (accountId !== null) {
    yield* checkMembers(accountId, email, now)
    if (paced) yield* checkPace(accountId, email, now)
  }
  yield* invitations.deleteSentBefore(now - INVITATION_KEPT_MILLIS)
  const token = newToken()
  const invitation = { ...wanted, email, sentAt: now, expiresAt: now + INVITATION_MILLIS }
  const id = yield* invitations.send({ ...invitation, digest: digestOf(token) })
  return { invitation: { ...invitation, id }, token } satisfies Sent
})

/** Mails an invitation; false if it could not be sent, or no mail server is configured. */
export const mailInvitation = Effect.fnUntraced(function*({ invitation, token }: Sent) {
  const config = yield* Config
  if (config.smtpUrl === "") return false
  const { accountId, email, expiresAt, invitedBy, permission } = invitation
  const account = accountId === null ? undefined : yield* (yield* Accounts).find(accountId)
  const link = Redacted.make(invitationLink(yield* servedPanel, token))
  const host = config.brandName === "" ? null : config.brandName
  return yield* (yield* Notices).invited({
    email,
    invitedBy: invitedBy ?? host,
    account: account?.name ?? account?.email,
    permission,
    link,
    expiresAt
  })
})

/** The invitation of a token; undefined if it is unknown, used, replaced, withdrawn or expired. */
export const findInvitation = Effect.fnUntraced(function*(token: string) {
  return yield* (yield* Invitations).findByDigest(digestOf(token), yield* signInTime)
})

/** The invitations that a person can accept. */
export const invitationsOf = Effect.fnUntraced(function*({ email }: Person) {
  return yield* (yield* Invitations).ofAddress(email, yield* signInTime)
})

const detailsOf = ({ email, id, permission, role }: Invitation) => ({ invitation_id: id, email, role, permission })

/** Uses up an invitation of a person, in a transaction of the caller. */
const join = Effect.fnUntraced(function*(by: By, invitation: Invitation) {
  const people = yield* People
  const { accountId, id, permission, role } = invitation
  const { person } = by
  if (role === "operator" && person.role !== role) {
    return yield* reject(`${person.email} belongs to a customer, who cannot become an operator. Use another address.`)
  }
  if (accountId !== null) {
    const { PEOPLE_PER_ACCOUNT_MAX: max } = yield* Limits
    if ((yield* people.list(accountId, max)).length >= max) return yield* fullOf(max)
    yield* people.join(person.id, accountId, yield* signInTime, permission)
  }
  yield* (yield* Invitations).remove(id)
  yield* recordBy(by, { action: "invitations.accept", accountId, details: detailsOf(invitation) })
})

const findOrAdd = Effect.fnUntraced(function*({ email, name, role }: Invitation, ownName: string | undefined) {
  const people = yield* People
  const existing = yield* people.findByEmail(email)
  if (existing !== undefined) return existing
  const chosen = ownName ?? name ?? email.split("@")[0]!
  const person = { email, name: chosen, role, handle: newToken(), createdAt: yield* signInTime }
  return { ...person, id: yield* people.create(person) }
})

/**
 * Accepts the invitation of a token and signs its person in, who is added if they are new; returns the session's token.
 * Undefined if the invitation is not valid. Fails with `Rejected`.
 */
export const acceptByToken = Effect.fnUntraced(function*(token: string, name: string | undefined, client: Client) {
  const accepted = yield* (yield* Transaction).run(Effect.gen(function*() {
    const invitation = yield* findInvitation(token)
    if (invitation === undefined) return undefined
    const by = { ...client, person: yield* findOrAdd(invitation, name) }
    yield* join(by, invitation)
    return { by, token: yield* begin(by, "link") }
  }))
  if (accepted !== undefined) yield* announce(accepted.by, "link")
  return accepted?.token
})

const takeOwn = Effect.fnUntraced(function*(id: number, { person }: By) {
  return (yield* invitationsOf(person)).find((one) => one.id === id)
})

/** Accepts an invitation of a signed-in person; false if they have none with that id. */
export const accept = Effect.fnUntraced(function*(id: number, by: By) {
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const invitation = yield* takeOwn(id, by)
    if (invitation === undefined) return false
    yield* join(by, invitation)
    return true
  }))
})

/** Declines an invitation of a signed-in person; false if they have none with that id. */
export const decline = Effect.fnUntraced(function*(id: number, by: By) {
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const invitation = yield* takeOwn(id, by)
    if (invitation === undefined) return false
    yield* (yield* Invitations).remove(id)
    const { accountId } = invitation
    yield* recordBy(by, { action: "invitations.decline", accountId, details: detailsOf(invitation) })
    return true
  }))
})

/** Declines the invitation of a token; false if it is not valid. */
export const declineByToken = Effect.fnUntraced(function*(token: string, { browser, requestId }: Client) {
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const invitation = yield* findInvitation(token)
    if (invitation === undefined) return false
    yield* (yield* Invitations).remove(invitation.id)
    const { accountId, email } = invitation
    // It does not matter if a person has the address: the link proves that it is the visitor's.
    const actor = { kind: "person", personId: null, name: email, from: browser.address, requestId } as const
    yield* record({ actor, action: "invitations.decline", accountId, details: detailsOf(invitation) })
    return true
  }))
})
