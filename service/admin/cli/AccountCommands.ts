/** Accounts, API keys, wallets, and the ledger. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SCOPES } from "#contract/Scope"
import { TREATMENTS } from "../../domain/Vat.ts"
import { reject } from "../CommandRejected.ts"
import { commandFor, limit, present, withoutAbsent } from "./AdminCommand.ts"
import { note } from "./Output.ts"

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
  vat_rate: Flag.Finite("vat-rate").pipe(
    Flag.withDescription("VAT rate in percent, for domestic and oss (default: the home rate, 19)"),
    Flag.optional
  )
}, { description: "Create an account with an empty wallet", example: "accounts create --email owner@example.com" })

const listAccounts = commandFor("accounts.list", {
  after: Flag.Int("after").pipe(Flag.withDescription("Start after this id, for the next page"), Flag.withDefault(0)),
  limit
}, { description: "List accounts by id" })

const showAccount = commandFor("accounts.show", { id: account }, { description: "Show an account" })

const DEFAULT = "default"

/** A number, or `default` for the service's own limit. */
const rate = (name: string, per: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`Creates per ${per}: a number, or "${DEFAULT}" for the service's limit (default: unchanged)`),
    Flag.optional
  )

const parseRate = (flag: string, value: Option.Option<string>) =>
  Option.match(value, {
    onNone: () => Effect.succeedNone,
    onSome: (text) => {
      if (text === DEFAULT) return Effect.succeedSome(null)
      return /^[0-9]+$/.test(text)
        ? Effect.succeedSome(Number(text))
        : Effect.fail(reject(`--${flag} should be a number or "${DEFAULT}"; got "${text}".`))
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

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts"),
  Command.withSubcommands([createAccount, listAccounts, showAccount, limitAccount])
)

const createKey = Command.make("create", {
  account_id: Flag.Int("account").pipe(Flag.withDescription("The account's id")),
  name: Flag.String("name").pipe(Flag.withDescription("A label for the key"), Flag.withDefault("api key")),
  scopes: Flag.Literals("scope", SCOPES).pipe(
    Flag.withDescription("A granted scope; each implies those after it. Repeatable"),
    Flag.atLeast(1)
  ),
  expires_at: Flag.String("expires-at").pipe(
    Flag.withDescription("Expiry date or time, like 2027-01-31 or 2027-01-31T12:00:00Z (default: never)"),
    Flag.optional
  )
}, (parsed) =>
  Effect.andThen(
    present("keys.create", withoutAbsent(parsed)),
    note("The key is shown only once. Store it now.")
  )).pipe(
    Command.withDescription("Create an API key and show it once"),
    Command.withExamples([{ command: "vps-service admin keys create --account 1 --scope vps:create" }])
  )

const listKeys = commandFor("keys.list", {
  account_id: Flag.Int("account").pipe(Flag.withDescription("Only keys of this account"), Flag.optional),
  limit
}, { description: "List API keys, without their secret parts" })

const revokeKey = commandFor("keys.revoke", { id: key }, { description: "Revoke an API key, with immediate effect" })

export const keys = Command.make("keys").pipe(
  Command.withDescription("Create and revoke API keys"),
  Command.withSubcommands([createKey, listKeys, revokeKey])
)

const topUp = commandFor("wallet.top_up", {
  account_id: account,
  amount: Argument.Finite("amount").pipe(Argument.withDescription("In units of the account's currency, like 25.50")),
  reference: Flag.String("reference").pipe(
    Flag.withDescription("The payment's unique name, which is booked only once (default: generated)"),
    Flag.optional
  )
}, {
  description: "Add money to a wallet, and renew instances that expired for lack of funds",
  example: "wallet top-up 1 100 --reference bank-2027-0042"
})

const statement = commandFor("wallet.statement", { account_id: account, limit }, {
  description: "List the transactions of a wallet, newest first"
})

export const wallet = Command.make("wallet").pipe(
  Command.withDescription("Top up wallets and list their transactions"),
  Command.withSubcommands([topUp, statement])
)

const verify = Command.make(
  "verify",
  {},
  Effect.fnUntraced(function*() {
    const { balanced } = yield* present("ledger.verify", {})
    if (!balanced) return yield* reject("The ledger does not balance. Investigate the accounts listed above.")
  })
).pipe(Command.withDescription("Recompute every balance from the ledger; fails if one is wrong"))

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Audit the ledger"),
  Command.withSubcommands([verify])
)
