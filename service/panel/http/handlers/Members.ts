/** The members of an account, and those who are invited. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Authentication } from "../../../auth/Authentication.ts"
import { Config } from "../../../config/Config.ts"
import { Limits } from "../../../config/Limits.ts"
import { toOptionalTimestamp, toTimestamp } from "../../../domain/Calendar.ts"
import { type Invitation, Invitations } from "../../../persistence/people/Invitations.ts"
import { type ListedPerson, People } from "../../../persistence/people/People.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import type { InvitationRecord, MemberRecord } from "../../contract/AccountCalls.ts"
import { recordBy } from "../../../people/Actor.ts"
import { invitationLink, invite, mailInvitation } from "../../../people/Invite.ts"
import { leaveKeys } from "../../../people/LeftKeys.ts"
import { signInTime } from "../../../people/Tokens.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { missing, Refused } from "../Refused.ts"
import type { Member } from "../Visitor.ts"
import { keyRecord } from "./Keys.ts"

const memberRecord = (person: ListedPerson): MemberRecord => ({
  id: person.id,
  email: person.email,
  name: person.name,
  passkeys: person.passkeys,
  last_seen_at: toOptionalTimestamp(person.lastSeenAt)
})

/** Most invitations in a list. */
const INVITATIONS_SHOWN = 1_000

const EMAIL = /^[^\s@]+@[^\s@]+$/

const membersOf = Effect.fnUntraced(function*(accountId: number) {
  return yield* (yield* People).list(accountId, (yield* Limits).PEOPLE_PER_ACCOUNT_MAX)
})

const invitationRecord = ({ email, expiresAt, id, invitedBy, sentAt }: Invitation, now: number): InvitationRecord => ({
  id,
  email,
  invited_by: invitedBy,
  state: expiresAt > now ? "pending" : "expired",
  sent_at: toTimestamp(sentAt),
  expires_at: toTimestamp(expiresAt)
})

const NO_MAIL = "This service sends no mail, so you cannot invite people here. Ask its operator for an invitation."

const send = Effect.fnUntraced(function*(email: string, member: Member) {
  const { emulator, smtpUrl } = yield* Config
  if (!EMAIL.test(email)) return yield* new Refused({ status: 400, message: "Enter an e-mail address." })
  if (smtpUrl === "" && !emulator) return yield* new Refused({ status: 409, message: NO_MAIL })
  const { caller: { accountId }, person: { email: invitedBy } } = member
  const sent = yield* (yield* Transaction).run(Effect.tap(
    invite({ email, name: null, role: "customer", accountId, invitedBy }, { paced: !emulator }),
    ({ invitation }) =>
      recordBy(member, {
        action: "invitations.send",
        accountId,
        details: { invitation_id: invitation.id, email: invitation.email }
      })
  ))
  const mailed = yield* mailInvitation(sent)
  // Only the mail has the link: with it, the inviter could sign in as the invited person.
  const link = emulator ? invitationLink(member.origin, sent.token) : null
  return { ...invitationRecord(sent.invitation, yield* signInTime), mailed, link }
})

/** An invitation to the member's account. */
const findOwn = Effect.fnUntraced(function*(id: number, { caller: { accountId } }: Member) {
  const invitation = yield* (yield* Invitations).find(id)
  return invitation?.accountId === accountId ? invitation : yield* missing("Invitation")
})

type Calls = "people" | "invitations" | "invite" | "invite_again" | "withdraw_invitation" | "remove_person"

export const members: Pick<PanelHandlers<"account", Member>, Calls> = {
  people: (_, { caller: { accountId } }) => Effect.map(membersOf(accountId), (all) => all.map(memberRecord)),
  invitations: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const now = yield* signInTime
    const all = yield* (yield* Invitations).list(accountId, INVITATIONS_SHOWN)
    return all.map((one) => invitationRecord(one, now))
  }),
  invite: ({ payload: { email } }, member) => send(email, member),
  invite_again: ({ params: { id } }, member) => Effect.flatMap(findOwn(id, member), ({ email }) => send(email, member)),
  withdraw_invitation: Effect.fnUntraced(function*({ params: { id } }, member) {
    yield* (yield* Transaction).run(Effect.gen(function*() {
      const { accountId, email } = yield* findOwn(id, member)
      yield* (yield* Invitations).withdraw(id, yield* signInTime)
      yield* recordBy(member, { action: "invitations.withdraw", accountId, details: { invitation_id: id, email } })
    }))
    return { ok: true as const }
  }),
  remove_person: Effect.fnUntraced(function*({ params: { id }, query: { revoke_keys: revoke = false } }, member) {
    const { accountId } = member.caller
    const people = yield* People
    const { remaining, revoked } = yield* (yield* Transaction).run(Effect.gen(function*() {
      if ((yield* membersOf(accountId)).length === 1 && (yield* people.isMember(id, accountId))) {
        return yield* new Refused({ status: 409, message: "An account needs a member. Invite another one first." })
      }
      const keys = yield* leaveKeys(id, accountId, { revoke })
      if (!(yield* people.leave(id, accountId))) return yield* missing("Person")
      const details = { person_id: id, revoked_keys: keys.revoked.map((key) => key.id) }
      yield* recordBy(member, { action: "people.remove", accountId, details })
      return keys
    }))
    if (revoked.length > 0) yield* (yield* Authentication).clearCache
    const now = yield* Clock.currentTimeMillis
    const records = (keys: typeof revoked) => keys.map((key) => keyRecord(key, now))
    return { revoked: records(revoked), remaining: records(remaining) }
  })
}
