/** The members of an account, and those who are invited. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Config } from "../../../config/Config.ts"
import { toOptionalTimestamp } from "../../../domain/Timestamp.ts"
import { type InvitationFields, invitationFields, invitationLink, type Sent } from "../../../people/Invite.ts"
import {
  inviteAgain,
  inviteMember,
  membersOf,
  removeMember,
  renameAccount,
  setPermission,
  withdrawInvitation
} from "../../../people/Members.ts"
import type { LeftKeys } from "../../../people/AccountKeys.ts"
import { signInTime } from "../../../people/Links.ts"
import { Invitations } from "../../../persistence/people/Invitations.ts"
import type { ListedPerson } from "../../../persistence/people/People.ts"
import type { InvitationRecord, MemberRecord } from "../../contract/AccountCalls.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"
import { keyRecord } from "./Keys.ts"

const memberRecord = (person: ListedPerson): MemberRecord => ({
  id: person.id,
  email: person.email,
  name: person.name,
  // Null only in a list of all people.
  permission: person.permission ?? "read",
  passkeys: person.passkeys,
  last_seen_at: toOptionalTimestamp(person.lastSeenAt)
})

/** Most invitations in a list. */
const INVITATIONS_SHOWN = 1_000

/** The role and the account are those of the list. */
const invitationRecord = ({ account_id: _account, role: _role, ...fields }: InvitationFields): InvitationRecord =>
  fields

const sentRecord = Effect.fnUntraced(function*(sent: Sent & { readonly mailed: boolean }, { origin }: Member) {
  // Only the mail has the link: with it, the inviter could sign in as the invited person.
  const link = (yield* Config).emulator ? invitationLink(origin, sent.token) : null
  return { ...invitationRecord(invitationFields(sent.invitation, yield* signInTime)), mailed: sent.mailed, link }
})

export const leftRecord = Effect.fnUntraced(function*({ remaining, revoked }: LeftKeys) {
  const now = yield* Clock.currentTimeMillis
  const records = (keys: LeftKeys["revoked"]) => keys.map((key) => keyRecord(key, now))
  return { revoked: records(revoked), remaining: records(remaining) }
})

type Calls =
  | "rename"
  | "people"
  | "set_permission"
  | "invitations"
  | "invite"
  | "invite_again"
  | "withdraw_invitation"
  | "remove_person"

export const members: Pick<PanelHandlers<"account", Member>, Calls> = {
  rename: ({ payload: { name } }, member) =>
    Effect.as(renameAccount(name.trim() || null, member), { ok: true as const }),
  people: (_, { caller: { accountId } }) => Effect.map(membersOf(accountId), (all) => all.map(memberRecord)),
  invitations: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const now = yield* signInTime
    const all = yield* (yield* Invitations).list(accountId, INVITATIONS_SHOWN)
    return all.map((one) => invitationRecord(invitationFields(one, now)))
  }),
  invite: ({ payload: { email, permission = "full" } }, member) =>
    Effect.flatMap(inviteMember(email, permission, member), (sent) => sentRecord(sent, member)),
  invite_again: ({ params: { id } }, member) =>
    Effect.flatMap(inviteAgain(id, member), (sent) => sentRecord(sent, member)),
  withdraw_invitation: ({ params: { id } }, member) => Effect.as(withdrawInvitation(id, member), { ok: true as const }),
  remove_person: ({ params: { id }, query: { revoke_keys: revoke = false } }, member) =>
    Effect.flatMap(removeMember(id, revoke, member), leftRecord),
  set_permission: ({ params: { id }, payload: { permission }, query: { revoke_keys: revoke = false } }, member) =>
    Effect.flatMap(setPermission({ id, permission, revoke }, member), leftRecord)
}
