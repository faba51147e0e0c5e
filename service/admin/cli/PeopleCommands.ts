/** The people who sign in to the panel. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ROLES } from "../../domain/Role.ts"
import { commandFor, limit, present, withoutAbsent } from "./AdminCommand.ts"
import { note } from "./Output.ts"
import { accountOr, optional, toggle, withAccount } from "./Flags.ts"

const invite = Command.make("invite", {
  email: Argument.String("email").pipe(Argument.withDescription("The person's e-mail address")),
  name: optional(Flag.String("name"), "The person's name (default: from the address)"),
  role: Flag.Literals("role", ROLES).pipe(
    Flag.withDescription("customer: a member of an account; operator: may do everything"),
    Flag.withDefault("customer" as const)
  ),
  ...accountOr("The account of which the person becomes a member; required for customers")
}, (parsed) =>
  Effect.andThen(
    Effect.flatMap(withAccount(parsed), (named) => present("people.invite", withoutAbsent(named))),
    note("The link works once, within a week. It is not shown again: the same command makes a new one.")
  )).pipe(
    Command.withDescription("Invite a person, who accepts by a link; mailed, too, if a mail server is configured"),
    Command.withExamples([
      { command: "vps-service admin people invite owner@example.com 1" },
      { command: "vps-service admin people invite me@example.com --role operator" }
    ])
  )

const invitations = commandFor("people.invitations", {
  ...accountOr("Only those to this account"),
  limit
}, { description: "List the open invitations: those that were neither accepted nor withdrawn" })

const withdraw = commandFor("people.withdraw", {
  id: Argument.Int("invitation").pipe(Argument.withDescription("The invitation's id"))
}, { description: "Withdraw an invitation: its link does not work any more" })

const link = Command.make("link", {
  id: Argument.Int("person").pipe(Argument.withDescription("The person's id"))
}, (parsed) =>
  Effect.andThen(
    present("people.link", parsed),
    note("The link signs in once, within a day. It is not shown again: the same command makes a new one.")
  )).pipe(
    Command.withDescription("Make a link that signs a person in, for one who has lost all passkeys; mailed, too")
  )

const list = commandFor("people.list", {
  ...accountOr("Only members of this account"),
  search: optional(Flag.String("search"), "Only those whose name or e-mail address contains this text"),
  after: optional(Flag.Int("after"), "Start after this id, for the next page"),
  limit
}, { description: "List the people who can sign in to the panel", paged: { flag: "after", idOf: ({ id }) => id } })

const remove = commandFor("people.remove", {
  id: Argument.Int("person").pipe(Argument.withDescription("The person's id")),
  revoke_keys: toggle("revoke-keys", "Also revoke the API keys that the person made, in all accounts")
}, { description: "Remove a person at once, with sessions, passkeys, and memberships; says which API keys remain" })

export const people = Command.make("people").pipe(
  Command.withDescription("Manage the people who sign in to the panel"),
  Command.withSubcommands([invite, invitations, withdraw, link, list, remove])
)
