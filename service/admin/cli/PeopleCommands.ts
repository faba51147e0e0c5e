/** The people who sign in to the panel. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ROLES } from "../../domain/Role.ts"
import { commandFor, limit, present, withoutAbsent } from "./AdminCommand.ts"
import { note } from "./Output.ts"
import { optional } from "./Flags.ts"

const invite = Command.make("invite", {
  email: Argument.String("email").pipe(Argument.withDescription("The person's e-mail address")),
  name: optional(Flag.String("name"), "The person's name (default: from the address)"),
  role: Flag.Literals("role", ROLES).pipe(
    Flag.withDescription("customer: a member of an account; operator: may do everything"),
    Flag.withDefault("customer" as const)
  ),
  account_id: optional(Flag.Int("account"), "The account of which the person becomes a member; required for customers")
}, (parsed) =>
  Effect.andThen(
    present("people.invite", withoutAbsent(parsed)),
    note("The link signs in once, within a day. It is not shown again: the same command makes a new one.")
  )).pipe(
    Command.withDescription("Add a person, or make a new link for one; mailed, too, if a mail server is configured"),
    Command.withExamples([
      { command: "vps-service admin people invite owner@example.com --account 1" },
      { command: "vps-service admin people invite me@example.com --role operator" }
    ])
  )

const list = commandFor("people.list", {
  account_id: optional(Flag.Int("account"), "Only members of this account"),
  search: optional(Flag.String("search"), "Only those whose name or e-mail address contains this text"),
  limit
}, { description: "List the people who can sign in to the panel" })

const remove = commandFor("people.remove", {
  id: Argument.Int("person").pipe(Argument.withDescription("The person's id"))
}, { description: "Remove a person, with immediate effect: ends all sessions, deletes passkeys and memberships" })

export const people = Command.make("people").pipe(
  Command.withDescription("Manage the people who sign in to the panel"),
  Command.withSubcommands([invite, list, remove])
)
