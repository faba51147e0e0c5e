/** The mails about an account that the person gets. */
import * as Effect from "effect/Effect"
import { choicesOf, chooseMails } from "../../../people/MailChoices.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"

const record = ({ person }: Member, { choices, ownerEmail }: Effect.Success<ReturnType<typeof choicesOf>>) => ({
  email: person.email,
  owner_email: ownerEmail,
  kinds: choices.map(({ isRequired, isWanted, kind }) => ({ kind, wanted: isWanted, required: isRequired }))
})

export const mails: Pick<PanelHandlers<"account", Member>, "mails" | "choose_mails"> = {
  mails: (_, member) => Effect.map(choicesOf(member), (found) => record(member, found)),
  choose_mails: ({ payload: { wanted } }, member) =>
    Effect.map(chooseMails(wanted, member), (found) => record(member, found))
}
