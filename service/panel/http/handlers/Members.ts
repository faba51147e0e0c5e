/** The members of an account. */
import * as Effect from "effect/Effect"
import { Config } from "../../../config/Config.ts"
import { Limits } from "../../../config/Limits.ts"
import { toOptionalTimestamp } from "../../../domain/Calendar.ts"
import { type ListedPerson, People } from "../../../persistence/people/People.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import type { MemberRecord } from "../../contract/AccountCalls.ts"
import { recordBy } from "../../../people/Actor.ts"
import { invite } from "../../../people/Invite.ts"
import { hasNewLink, linkTo, normalEmail, sendLink } from "../../../people/Links.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { missing, Refused } from "../Refused.ts"
import type { Member } from "../Visitor.ts"

const memberRecord = (person: ListedPerson): MemberRecord => ({
  id: person.id,
  email: person.email,
  name: person.name,
  passkeys: person.passkeys,
  invited_until: toOptionalTimestamp(person.invitedUntil),
  last_seen_at: toOptionalTimestamp(person.lastSeenAt)
})

const EMAIL = /^[^\s@]+@[^\s@]+$/

const membersOf = Effect.fnUntraced(function*(accountId: number) {
  return yield* (yield* People).list(accountId, (yield* Limits).PEOPLE_PER_ACCOUNT_MAX)
})

const NO_MAIL = "This service sends no mail, so you cannot invite people here. Ask its operator for an invitation."

type Calls = "people" | "invite" | "remove_person"

export const members: Pick<PanelHandlers<"account", Member>, Calls> = {
  people: (_, { caller: { accountId } }) => Effect.map(membersOf(accountId), (all) => all.map(memberRecord)),
  invite: Effect.fnUntraced(function*({ payload: { email, name } }, member) {
    const { emulator, smtpUrl } = yield* Config
    if (!EMAIL.test(email)) return yield* new Refused({ status: 400, message: "Enter an e-mail address." })
    if (smtpUrl === "" && !emulator) return yield* new Refused({ status: 409, message: NO_MAIL })
    const { accountId } = member.caller
    const { expiresAt, person, token } = yield* (yield* Transaction).run(Effect.gen(function*() {
      const existing = yield* (yield* People).findByEmail(normalEmail(email))
      if (!emulator && existing !== undefined && (yield* hasNewLink(existing.id))) {
        return yield* new Refused({ status: 429, message: "This person got a link a moment ago. Try again later." })
      }
      const invited = yield* invite({ email, name, role: "customer", accountId })
      const details = { person_id: invited.person.id, email: invited.person.email }
      yield* recordBy(member, { action: "people.invite", accountId, details })
      return invited
    }))
    const mailed = yield* sendLink(person.email, token, expiresAt)
    const record = (yield* membersOf(accountId)).find(({ id }) => id === person.id)!
    // Only the mail has the link: with it, the inviter could sign in as the invited person.
    return { ...memberRecord(record), mailed, link: emulator ? linkTo(member.origin, token) : null }
  }),
  remove_person: Effect.fnUntraced(function*({ params: { id } }, member) {
    const { accountId } = member.caller
    const people = yield* People
    yield* (yield* Transaction).run(Effect.gen(function*() {
      if ((yield* membersOf(accountId)).length === 1 && (yield* people.isMember(id, accountId))) {
        return yield* new Refused({ status: 409, message: "An account needs a member. Invite another one first." })
      }
      if (!(yield* people.leave(id, accountId))) {
        return yield* missing("Person")
      }
      yield* recordBy(member, { action: "people.remove", accountId, details: { person_id: id } })
    }))
    return { ok: true as const }
  })
}
