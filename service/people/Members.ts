/** The members of an account, and those who are invited, as its members change them. */
import * as Effect from "effect/Effect"
import { Authentication } from "../auth/Authentication.ts"
import { missing, reject } from "../auth/Rejected.ts"
import { Config } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { isEmail } from "../contract/Fields.ts"
import type { Permission } from "../contract/Words.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Invitations } from "../persistence/people/Invitations.ts"
import { type ListedPerson, People } from "../persistence/people/People.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type By, type ByMember, recordBy } from "./Actor.ts"
import { invite, mailInvitation } from "./Invite.ts"
import { leaveKeys } from "./AccountKeys.ts"
import { signInTime } from "./Links.ts"

export const membersOf = Effect.fnUntraced(function*(accountId: number) {
  return yield* (yield* People).list(accountId, (yield* Limits).PEOPLE_PER_ACCOUNT_MAX)
})

const NO_MAIL = "This service sends no mail, so you cannot invite people here. Ask its operator for an invitation."

/** Invites a person to the member's account, by mail; an emulator needs no mail server. */
export const inviteMember = Effect.fnUntraced(function*(email: string, permission: Permission, by: ByMember) {
  const { emulator, smtpUrl } = yield* Config
  if (!isEmail(email)) return yield* reject("invalid", "Enter an e-mail address.")
  if (smtpUrl === "" && !emulator) return yield* reject("conflict", NO_MAIL)
  const { caller: { accountId }, person: { email: invitedBy } } = by
  const sent = yield* (yield* Transaction).run(Effect.tap(
    invite({ email, name: null, role: "customer", accountId, permission, invitedBy }, { paced: !emulator }),
    ({ invitation }) =>
      recordBy(by, {
        action: "invitations.send",
        accountId,
        details: { invitation_id: invitation.id, email: invitation.email, permission }
      })
  ))
  return { ...sent, mailed: yield* mailInvitation(sent) }
})

/** An invitation to the member's account. */
const findOwn = Effect.fnUntraced(function*(id: number, { caller: { accountId } }: ByMember) {
  const invitation = yield* (yield* Invitations).find(id)
  return invitation?.accountId === accountId ? invitation : yield* missing("Invitation")
})

/** Sends an invitation again, with a new link. */
export const inviteAgain = Effect.fnUntraced(function*(id: number, by: ByMember) {
  const { email, permission } = yield* findOwn(id, by)
  return yield* inviteMember(email, permission, by)
})

export const withdrawInvitation = Effect.fnUntraced(function*(id: number, by: ByMember) {
  yield* (yield* Transaction).run(Effect.gen(function*() {
    const { accountId, email } = yield* findOwn(id, by)
    yield* (yield* Invitations).withdraw(id, yield* signInTime)
    yield* recordBy(by, { action: "invitations.withdraw", accountId, details: { invitation_id: id, email } })
  }))
})

/** An account whose members can only read it would be lost to them. Part of the caller's transaction. */
const assertOthersCanChange = Effect.fnUntraced(function*(id: number, accountId: number) {
  const members = yield* membersOf(accountId)
  const isFull = ({ permission }: ListedPerson) => permission === "full"
  if (!members.some((one) => one.id === id && isFull(one))) return
  if (members.some((one) => one.id !== id && isFull(one))) return
  return yield* reject(
    "conflict",
    "An account needs a member who can change it. Give another member full access first, or invite one."
  )
})

/** Changes what a person may do in the member's account; returns the keys that they may know. */
export const setPermission = Effect.fnUntraced(function*(
  { id, permission, revoke }: { readonly id: number; readonly permission: Permission; readonly revoke: boolean },
  by: ByMember
) {
  const { accountId } = by.caller
  const people = yield* People
  const keys = yield* (yield* Transaction).run(Effect.gen(function*() {
    const before = yield* people.permissionOf(id, accountId)
    if (before === undefined) return yield* missing("Person")
    if (permission !== "full") yield* assertOthersCanChange(id, accountId)
    const keys = yield* leaveKeys(id, accountId, { revoke: revoke && permission !== "full" })
    yield* people.setPermission(id, accountId, permission)
    const details = { person_id: id, permission, before, revoked_keys: keys.revoked.map((key) => key.id) }
    yield* recordBy(by, { action: "people.permission", accountId, details })
    return keys
  }))
  if (keys.revoked.length > 0) yield* (yield* Authentication).clearCache
  return keys
})

/** Ends a membership in the member's account, which may be their own; returns the keys that the person may know. */
export const removeMember = Effect.fnUntraced(function*(id: number, revoke: boolean, by: ByMember) {
  const { accountId } = by.caller
  const people = yield* People
  const action = id === by.person.id ? "people.leave" : "people.remove"
  const keys = yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* assertOthersCanChange(id, accountId)
    const keys = yield* leaveKeys(id, accountId, { revoke })
    if (!(yield* people.leave(id, accountId))) return yield* missing("Person")
    const details = { person_id: id, revoked_keys: keys.revoked.map((key) => key.id) }
    yield* recordBy(by, { action, accountId, details })
    return keys
  }))
  if (keys.revoked.length > 0) yield* (yield* Authentication).clearCache
  return keys
})

/** Ends a person's own membership; an account of which they are none is not found. */
export const leaveAccount = Effect.fnUntraced(function*(accountId: number, revoke: boolean, by: By) {
  const isMember = yield* (yield* People).isMember(by.person.id, accountId)
  if (!isMember) return yield* missing("Account")
  return yield* removeMember(by.person.id, revoke, { ...by, caller: { accountId } })
})

/** Gives the member's account a name; null shows the owner's address. */
export const renameAccount = Effect.fnUntraced(function*(name: string | null, by: ByMember) {
  const { accountId } = by.caller
  const accounts = yield* Accounts
  yield* (yield* Transaction).run(Effect.gen(function*() {
    const before = (yield* accounts.find(accountId))?.name ?? null
    yield* accounts.rename(accountId, name)
    yield* recordBy(by, { action: "accounts.rename", accountId, details: { name, before } })
  }))
})
