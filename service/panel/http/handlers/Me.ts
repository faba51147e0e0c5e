/** A person's own passkeys, sessions, and memberships. */
import * as Effect from "effect/Effect"
import { missing } from "../../../auth/Rejected.ts"
import { toTimestamp } from "../../../domain/Timestamp.ts"
import { type Passkey, Passkeys } from "../../../persistence/people/Passkeys.ts"
import { type Session, Sessions } from "../../../persistence/people/Sessions.ts"
import type { PasskeyRecord, SessionRecord } from "../../contract/Session.ts"
import { accept, decline } from "../../../people/Invite.ts"
import { leaveAccount } from "../../../people/Members.ts"
import { addPasskey, creationOptions, removePasskey, renamePasskey } from "../../../people/PasskeyUse.ts"
import { endOtherSessions, endSession } from "../../../people/SignIn.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { partyOf } from "../Visitor.ts"
import { leftRecord } from "./Members.ts"

const passkeyRecord = ({ backedUp, createdAt, id, lastUsedAt, name }: Omit<Passkey, "personId">): PasskeyRecord => ({
  id,
  name,
  backed_up: backedUp,
  created_at: toTimestamp(createdAt),
  last_used_at: lastUsedAt === null ? null : toTimestamp(lastUsedAt)
})

const sessionRecord = (current: Session) => (session: Session): SessionRecord => ({
  id: session.id,
  current: session.id === current.id,
  method: session.method,
  address: session.address,
  agent: session.agent,
  created_at: toTimestamp(session.createdAt),
  last_seen_at: toTimestamp(session.seenAt)
})

const DONE = { ok: true as const }

export const me: PanelHandlers<"me"> = {
  passkeys: (_, { person }) =>
    Effect.flatMap(Passkeys, ({ ofPerson }) => Effect.map(ofPerson(person.id), (keys) => keys.map(passkeyRecord))),
  passkey_options: Effect.fnUntraced(function*(_, visitor) {
    return { ...(yield* creationOptions(yield* partyOf(visitor), visitor.person, visitor.session.id)) }
  }),
  add_passkey: Effect.fnUntraced(function*({ payload }, visitor) {
    return passkeyRecord(yield* addPasskey(yield* partyOf(visitor), payload, visitor))
  }),
  rename_passkey: ({ params: { id }, payload: { name } }, visitor) => Effect.as(renamePasskey(id, name, visitor), DONE),
  remove_passkey: ({ params: { id } }, visitor) => Effect.as(removePasskey(id, visitor), DONE),
  accept_invitation: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    return (yield* accept(id, visitor)) ? DONE : yield* missing("Invitation")
  }),
  decline_invitation: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    return (yield* decline(id, visitor)) ? DONE : yield* missing("Invitation")
  }),
  leave_account: ({ params: { account }, query: { revoke_keys: revoke = false } }, visitor) =>
    Effect.flatMap(leaveAccount(account, revoke, visitor), leftRecord),
  sessions: (_, { person, session }) =>
    Effect.flatMap(
      Sessions,
      ({ ofPerson }) => Effect.map(ofPerson(person.id), (all) => all.map(sessionRecord(session)))
    ),
  end_others: (_, visitor) => Effect.as(endOtherSessions(visitor), DONE),
  end_session: ({ params: { id } }, visitor) => Effect.as(endSession(id, visitor), DONE)
}
