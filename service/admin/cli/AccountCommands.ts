/** Accounts and API keys. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SCOPES } from "#contract/Scope"
import { usageHint } from "#contract/UsageErrors"
import { TREATMENTS } from "../../domain/Vat.ts"
import { rejectUsage } from "../CommandRejected.ts"
import { commandFor, limit, present, withoutAbsent } from "./AdminCommand.ts"
import { note } from "./Output.ts"
import { accountOr, optional, withAccount } from "./Flags.ts"

const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))

const createAccount = commandFor("accounts.create", {
  email: Flag.String("email").pipe(Flag.withDescription("The account owner's e-mail address")),
  currency: Flag.String("currency").pipe(
    Flag.withDescription("Currency of the wallet, like EUR"),
    Flag.withDefault("EUR")
  ),
  vat_treatment: Flag.Literals("vat-treatment", TREATMENTS).pipe(
    Flag.withDescription("The customer's VAT treatment"),
    Flag.withDefault("domestic")
  ),
  vat_rate: optional(Flag.Finite("vat-rate"), "VAT rate in percent, for domestic and oss (default: the home rate, 19)")
}, { description: "Create an account with an empty wallet", example: "accounts create --email owner@example.com" })

const listAccounts = commandFor("accounts.list", {
  search: optional(Flag.String("search"), "Only an id, or a part of the e-mail address"),
  after: Flag.Int("after").pipe(Flag.withDescription("Start after this id, for the next page"), Flag.withDefault(0)),
  limit
}, { description: "List accounts by id", paged: { flag: "after", idOf: ({ id }) => id } })

const showAccount = commandFor("accounts.show", { id: account }, { description: "Show an account" })

const DEFAULT = "default"

/** A number, or `default` for the service's own limit. */
const rate = (name: string, per: string) =>
  optional(
    Flag.String(name),
    `Creates per ${per}: a number, or "${DEFAULT}" for the service's limit (default: unchanged)`
  )

const parseRate = (flag: string, value: Option.Option<string>) =>
  Option.match(value, {
    onNone: () => Effect.succeedNone,
    onSome: (text) => {
      if (text === DEFAULT) return Effect.succeedSome(null)
      return /^[0-9]+$/.test(text)
        ? Effect.succeedSome(Number(text))
        : Effect.fail(rejectUsage(`--${flag} should be a number or "${DEFAULT}"; got "${text}".`))
    }
  })

const [PER_MINUTE, PER_HOUR] = ["creates-per-minute", "creates-per-hour"] as const

const limitAccount = Command.make(
  "limits",
  { id: account, perMinute: rate(PER_MINUTE, "minute"), perHour: rate(PER_HOUR, "hour") },
  Effect.fnUntraced(function*({ id, perHour, perMinute }) {
    const limits = {
      creates_per_minute: yield* parseRate(PER_MINUTE, perMinute),
      creates_per_hour: yield* parseRate(PER_HOUR, perHour)
    }
    yield* present("accounts.limits", { id, ...withoutAbsent(limits) })
  })
).pipe(
  Command.withDescription("Show or change the create limits of an account"),
  Command.withExamples([{ command: "vps-service admin accounts limits 1 --creates-per-hour 200" }])
)

const editAccount = commandFor("accounts.edit", {
  id: account,
  email: optional(Flag.String("email"), "The account owner's e-mail address"),
  vat_treatment: optional(Flag.Literals("vat-treatment", TREATMENTS), "The customer's VAT treatment, for new charges"),
  vat_rate: optional(Flag.Finite("vat-rate"), "VAT rate in percent, for new charges of domestic and oss customers")
}, { description: "Change an account", example: "accounts edit 1 --email billing@example.com" })

const closeAccount = commandFor("accounts.close", {
  id: account,
  reason: Flag.String("reason").pipe(Flag.withDescription("The reason, for the audit log"))
}, {
  description: "Close an account: revoke its API keys, and accept no top-ups, keys or charges. Its records stay. "
    + "Rejected while it has instances or money",
  short: "Close an account that has no instances and no money",
  example: "accounts close 1 --reason \"at the request of the customer\""
})

const reopenAccount = commandFor("accounts.reopen", { id: account }, {
  description: "Open a closed account again. Its API keys remain revoked"
})

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts"),
  Command.withSubcommands([
    createAccount,
    listAccounts,
    showAccount,
    editAccount,
    limitAccount,
    closeAccount,
    reopenAccount
  ])
)

const keyFlags = {
  ...accountOr("The account's id; required"),
  name: Flag.String("name").pipe(Flag.withDescription("A label for the key"), Flag.withDefault("api key")),
  scopes: Flag.Literals("scope", SCOPES).pipe(
    Flag.withDescription("A granted scope; each implies those after it. Required, and repeatable"),
    Flag.atLeast(1),
    Flag.withDefault([])
  ),
  expires_at: optional(
    Flag.String("expires-at"),
    "Expiry date or time, like 2027-01-31 or 2027-01-31T12:00:00Z (default: never)"
  )
}

/** The account has two forms, so the parser can't require it. What is missing is named at once. */
const wholeKey = Effect.fnUntraced(function*(parsed: Command.Command.Config.Infer<typeof keyFlags>) {
  const { account_id, ...key } = withoutAbsent(yield* withAccount(parsed))
  if (account_id !== undefined && key.scopes.length > 0) return { ...key, account_id }
  const missing = [
    ...(account_id === undefined ? ["Missing required argument: account"] : []),
    ...(key.scopes.length === 0 ? ["Missing required flag: --scope"] : [])
  ]
  return yield* rejectUsage([...missing, usageHint(["vps-service", "admin", "keys", "create"])].join("\n"))
})

const createKey = Command.make("create", keyFlags, (parsed) =>
  Effect.andThen(
    Effect.flatMap(wholeKey(parsed), (key) => present("keys.create", key)),
    note("The key is shown only once. Store it now.")
  )).pipe(
    Command.withDescription("Create an API key and show it once"),
    Command.withExamples([{ command: "vps-service admin keys create 1 --scope vps:create" }])
  )

const listKeys = commandFor("keys.list", {
  ...accountOr("Only keys of this account"),
  after: optional(Flag.Int("after"), "Start after this id, for the next page"),
  limit
}, { description: "List API keys, without their secret parts", paged: { flag: "after", idOf: ({ id }) => id } })

const revokeKey = commandFor("keys.revoke", { id: key }, { description: "Revoke an API key, with immediate effect" })

export const keys = Command.make("keys").pipe(
  Command.withDescription("Create and revoke API keys"),
  Command.withSubcommands([createKey, listKeys, revokeKey])
)
