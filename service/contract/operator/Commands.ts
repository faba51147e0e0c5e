/** All operator commands, by their names on the socket. */
import { ACCOUNT_COMMANDS } from "./Accounts.ts"
import { ANNOUNCEMENT_COMMANDS } from "./Announcements.ts"
import { CATALOGUE_COMMANDS } from "./Catalogue.ts"
import { HOST_COMMANDS } from "./Hosts.ts"
import { INSTANCE_COMMANDS } from "./Instances.ts"
import { MONEY_COMMANDS } from "./Money.ts"
import { MAIL_COMMANDS } from "./Mails.ts"
import { NOTE_COMMANDS } from "./Notes.ts"
import { SYSTEM_COMMANDS } from "./System.ts"

export const CONTRACT = {
  ...ACCOUNT_COMMANDS,
  ...MONEY_COMMANDS,
  ...CATALOGUE_COMMANDS,
  ...HOST_COMMANDS,
  ...INSTANCE_COMMANDS,
  ...NOTE_COMMANDS,
  ...ANNOUNCEMENT_COMMANDS,
  ...MAIL_COMMANDS,
  ...SYSTEM_COMMANDS
}

type Contract = typeof CONTRACT
export type CommandName = keyof Contract
export type InputOf<Name extends CommandName> = ReturnType<Contract[Name]["input"]>["Type"]
export type ResultOf<Name extends CommandName> = ReturnType<Contract[Name]["result"]>["Type"]

/** A row of a command's result. */
export type RowOf<Name extends CommandName> = ResultOf<Name> extends ReadonlyArray<infer Row> ? Row : ResultOf<Name>

/** The commands that the panel has. */
export type PanelCommand = {
  [Name in CommandName]: Contract[Name]["hostOnly"] extends true ? never : Name
}[CommandName]
