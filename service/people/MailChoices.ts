/** The mails about an account that a member has chosen. The owner is the person with the address of the account. */
import * as Effect from "effect/Effect"
import { MAIL_KINDS, type MailKind, REQUIRED_MAILS } from "../contract/Words.ts"
import { ownerOf } from "../instances/Admission.ts"
import { Mails } from "../persistence/Mails.ts"
import { Transaction } from "../persistence/Transaction.ts"
import type { ByMember } from "./Actor.ts"

const REQUIRED: ReadonlySet<MailKind> = new Set(REQUIRED_MAILS)

export interface Choice {
  readonly kind: MailKind
  readonly isWanted: boolean
  /** The owner cannot turn it off. */
  readonly isRequired: boolean
}

/** Every kind, as the person gets it. */
export const choicesOf = Effect.fnUntraced(function*({ caller: { accountId }, person }: ByMember) {
  const { email } = yield* ownerOf({ accountId })
  const isOwner = email.toLowerCase() === person.email
  const chosen = new Map(
    (yield* (yield* Mails).choices(person.id, accountId)).map(({ isWanted, kind }) => [kind, isWanted])
  )
  const choices = MAIL_KINDS.map((kind): Choice => {
    const isRequired = isOwner && REQUIRED.has(kind)
    return { kind, isRequired, isWanted: isRequired || (chosen.get(kind) ?? isOwner) }
  })
  return { ownerEmail: email, choices }
})

/** Sets all kinds; those that the owner has to get stay. */
export const chooseMails = Effect.fnUntraced(function*(wanted: ReadonlyArray<MailKind>, by: ByMember) {
  const { caller: { accountId }, person } = by
  const { choose } = yield* Mails
  yield* (yield* Transaction).run(Effect.gen(function*() {
    const { choices } = yield* choicesOf(by)
    const changed = choices.filter(({ isRequired, isWanted, kind }) =>
      !isRequired && isWanted !== wanted.includes(kind)
    )
    yield* Effect.forEach(
      changed,
      ({ isWanted, kind }) => choose(person.id, accountId, { kind, isWanted: !isWanted }),
      { discard: true }
    )
  }))
  return yield* choicesOf(by)
})
