/** The groups of `vps-service admin`. Each has a subcommand for every command of the contract under its name. */
import * as Command from "effect/cli/Command"
import { type CommandName, CONTRACT } from "../../contract/operator/Commands.ts"
import { backup, restore, verify } from "./BackupCommands.ts"
import { commandOf, type CommandOverride } from "./Derived.ts"
import { catalogueExample, OVERRIDES } from "./CommandOverrides.ts"
import { forgetOlder, rotateFile } from "./SecretCommands.ts"

/** In the order of the help. */
const TEXTS = {
  accounts: "Manage accounts",
  keys: "Create and revoke API keys",
  wallet: "Top up, debit and refund wallets, and list their transactions",
  catalogue: "Import and export plans, images and ISOs",
  plans: "List plans; change them with \"catalogue import\", and existing instances with \"reprice\"",
  images: "List images; change them with \"catalogue import\", and upload them to hosts",
  isos: "List ISOs; change them with \"catalogue import\"",
  coupons: "Create and list coupons",
  hosts: "Add, list, check, drain and evacuate the hosts that run instances",
  addresses: "Add and list the addresses of instances",
  machines: "Compare instances with the machines on hosts",
  rdns: "Check the name server of PTR records",
  people: "Manage the people who sign in to the panel",
  instances: "List and suspend instances, and set their renewal",
  notes: "Manage private notes on accounts and instances",
  announcements: "Announce maintenance and news, which the customers concerned get by mail",
  mails: "List and retry the mails to customers, and try out the mail server",
  tasks: "List and retry tasks; approve and reject orders",
  ledger: "Audit the ledger",
  audit: "List, verify and export what operators did",
  clock: "Show and confirm the time of the service",
  secret: "Rotate the service's secret and show its dependents"
}
type Group = keyof typeof TEXTS

/** Programs on files, which the service takes part in at most. */
const PROGRAMS = { catalogue: [catalogueExample], secret: [rotateFile, forgetOlder] }

/** Commands that the programs call. */
const WITHOUT_SUBCOMMAND: ReadonlySet<string> = new Set(["secret.rotate", "secret.forget"])

const subcommandsOf = (group: Group) => {
  const names = Object.keys(CONTRACT).filter((name) =>
    name.startsWith(`${group}.`) && !WITHOUT_SUBCOMMAND.has(name)
  ) as ReadonlyArray<CommandName>
  const programs = group === "catalogue" || group === "secret" ? PROGRAMS[group] : []
  return [...names.map((name) => commandOf(name, OVERRIDES[name] as CommandOverride<CommandName>)), ...programs]
}

/** All groups. The subcommands of a group that the command line does not name would only take time. */
export const groupsFor = (words: ReadonlyArray<string>) => {
  const isWhole = words.some((word) => word.startsWith("--completions"))
  const groups = (Object.keys(TEXTS) as ReadonlyArray<Group>).map((group) => {
    const described = Command.make(group).pipe(Command.withDescription(TEXTS[group]))
    return isWhole || words.includes(group)
      ? described.pipe(Command.withSubcommands(subcommandsOf(group)))
      : described
  })
  return [...groups, backup, restore, verify]
}
