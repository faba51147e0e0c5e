/** A person's own passkeys and sessions. */
import * as Effect from "effect/Effect"
import { Limits } from "../../../config/Limits.ts"
import { toTimestamp } from "../../../domain/Calendar.ts"
import { type Passkey, Passkeys } from "../../../persistence/people/Passkeys.ts"
import { type Session, Sessions } from "../../../persistence/people/Sessions.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import type { PasskeyRecord, SessionRecord } from "../../contract/Me.ts"
import { recordBy } from "../../../people/Actor.ts"
import { accept, decline } from "../../../people/Invite.ts"
import { creationOptions, verifyCreation } from "../../../people/PasskeyUse.ts"
import { signInTime } from "../../../people/Tokens.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { partyOf } from "../PartyOf.ts"
import { missing, Refused } from "../Refused.ts"

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

const tooMany = (max: number) =>
  new Refused({ status: 409, message: `You have ${max} passkeys, the most that are possible. Remove one first.` })

export const me: PanelHandlers<"me"> = {
  passkeys: (_, { person }) =>
    Effect.flatMap(Passkeys, ({ ofPerson }) => Effect.map(ofPerson(person.id), (keys) => keys.map(passkeyRecord))),
  passkey_options: Effect.fnUntraced(function*(_, visitor) {
    const { PASSKEYS_PER_PERSON_MAX: max } = yield* Limits
    if ((yield* (yield* Passkeys).ofPerson(visitor.person.id)).length >= max) return yield* tooMany(max)
    return { ...(yield* creationOptions(yield* partyOf(visitor), visitor.person, visitor.session.id)) }
  }),
  add_passkey: Effect.fnUntraced(function*({ payload: { credential, name } }, visitor) {
    const party = yield* partyOf(visitor)
    const verified = yield* verifyCreation(party, visitor.session.id, credential)
    if (verified === undefined) {
      return yield* new Refused({ status: 403, message: "This passkey is not accepted. Try again." })
    }
    const passkeys = yield* Passkeys
    const { domain } = party
    const key = { ...verified, personId: visitor.person.id, domain, name, createdAt: yield* signInTime }
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      if ((yield* passkeys.findByCredential(key.credential)) !== undefined) {
        return yield* new Refused({ status: 409, message: "This passkey is stored already." })
      }
      const id = yield* passkeys.add(key)
      yield* recordBy(visitor, { action: "passkeys.add", details: { id, name } })
      return passkeyRecord({ ...key, id, lastUsedAt: null })
    }))
  }),
  rename_passkey: Effect.fnUntraced(function*({ params: { id }, payload: { name } }, { person }) {
    const renamed = yield* (yield* Transaction).run((yield* Passkeys).rename(id, person.id, name))
    return renamed ? DONE : yield* missing("Passkey")
  }),
  remove_passkey: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    const passkeys = yield* Passkeys
    yield* (yield* Transaction).run(Effect.gen(function*() {
      if (!(yield* passkeys.remove(id, visitor.person.id))) return yield* missing("Passkey")
      yield* recordBy(visitor, { action: "passkeys.remove", details: { id } })
    }))
    return DONE
  }),
  accept_invitation: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    return (yield* accept(id, visitor)) ? DONE : yield* missing("Invitation")
  }),
  decline_invitation: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    return (yield* decline(id, visitor)) ? DONE : yield* missing("Invitation")
  }),
  sessions: (_, { person, session }) =>
    Effect.flatMap(
      Sessions,
      ({ ofPerson }) => Effect.map(ofPerson(person.id), (all) => all.map(sessionRecord(session)))
    ),
  end_others: Effect.fnUntraced(function*(_, visitor) {
    const end = (yield* Sessions).endOthers(visitor.person.id, visitor.session.id)
    yield* (yield* Transaction).run(Effect.andThen(end, recordBy(visitor, { action: "sessions.end_others" })))
    return DONE
  }),
  end_session: Effect.fnUntraced(function*({ params: { id } }, visitor) {
    const sessions = yield* Sessions
    yield* (yield* Transaction).run(Effect.gen(function*() {
      if (!(yield* sessions.end(id, visitor.person.id))) return yield* missing("Session")
      yield* recordBy(visitor, { action: "sessions.end", details: { id } })
    }))
    return DONE
  })
}
