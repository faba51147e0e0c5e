/** Accounts, keys, wallets, and the books. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SCOPES } from "#contract/Scope"
import { TREATMENTS } from "../../domain/Vat.ts"
import { CommandRejected } from "../InputSchemas.ts"
import { given, limit, present } from "./AdminCommand.ts"
import { note } from "./Output.ts"

const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))

const createAccount = Command.make("create", {
  email: Flag.String("email").pipe(Flag.withDescription("Where the account's mail goes")),
  currency: Flag.String("currency").pipe(
    Flag.withDescription("Currency of the wallet, like EUR"),
    Flag.withDefault("EUR")
  ),
  vat_treatment: Flag.Literals("vat-treatment", TREATMENTS).pipe(
    Flag.withDescription("How VAT applies to the customer"),
    Flag.withDefault("domestic")
  ),
  vat_rate: Flag.Finite("vat-rate").pipe(
    Flag.withDescription("VAT rate in percent; counts for domestic and oss (default: the home rate, 19)"),
    Flag.optional
  )
}, ({ vat_rate, ...rest }) => present("accounts.create", { ...rest, ...given({ vat_rate }) })).pipe(
  Command.withDescription("Make an account with an empty wallet"),
  Command.withExamples([{ command: "vps-service admin accounts create --email owner@example.com" }])
)

const listAccounts = Command.make("list", {
  after: Flag.Int("after").pipe(Flag.withDescription("Begin after this id, for the next page"), Flag.withDefault(0)),
  limit
}, (asked) => present("accounts.list", asked)).pipe(Command.withDescription("List accounts by id"))

const showAccount = Command.make("show", { id: account }, (asked) => present("accounts.show", asked)).pipe(
  Command.withDescription("Show one account")
)

const DEFAULT = "default"

/** How often: a number, or the word for the service's own limit. */
const rate = (name: string, per: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`Creates per ${per}: a number, or "${DEFAULT}" for the service's own (default: as it is)`),
    Flag.optional
  )

const rateOf = (flag: string, written: Option.Option<string>) =>
  Option.match(written, {
    onNone: () => Effect.succeed(undefined),
    onSome: (text) => {
      if (text === DEFAULT) return Effect.succeed(null)
      return /^[0-9]+$/.test(text)
        ? Effect.succeed(Number(text))
        : Effect.fail(new CommandRejected({ message: `--${flag} should be a number or "${DEFAULT}"; got "${text}".` }))
    }
  })

const [PER_MINUTE, PER_HOUR] = ["creates-per-minute", "creates-per-hour"] as const

const limitAccount = Command.make(
  "limits",
  { id: account, perMinute: rate(PER_MINUTE, "minute"), perHour: rate(PER_HOUR, "hour") },
  Effect.fnUntraced(function*({ id, perHour, perMinute }) {
    const minute = yield* rateOf(PER_MINUTE, perMinute)
    const hour = yield* rateOf(PER_HOUR, perHour)
    yield* present("accounts.limits", {
      id,
      ...(minute === undefined ? {} : { creates_per_minute: minute }),
      ...(hour === undefined ? {} : { creates_per_hour: hour })
    })
  })
).pipe(
  Command.withDescription("Show how often an account may create, or give it limits of its own"),
  Command.withExamples([{ command: "vps-service admin accounts limits 1 --creates-per-hour 200" }])
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Make and see accounts"),
  Command.withSubcommands([createAccount, listAccounts, showAccount, limitAccount])
)

const createKey = Command.make("create", {
  account_id: Flag.Int("account").pipe(Flag.withDescription("The account's id")),
  name: Flag.String("name").pipe(Flag.withDescription("What it is for, for people"), Flag.withDefault("api key")),
  scopes: Flag.Literals("scope", SCOPES).pipe(
    Flag.withDescription("What it may do; each implies those after it. May be given again"),
    Flag.atLeast(1)
  ),
  expires_at: Flag.String("expires-at").pipe(
    Flag.withDescription("Last date or moment, like 2027-01-31 or 2027-01-31T12:00:00Z (default: never)"),
    Flag.optional
  )
}, ({ expires_at, ...rest }) =>
  Effect.andThen(
    present("keys.create", { ...rest, ...given({ expires_at }) }),
    note("The key is shown this once; store it now.")
  )).pipe(
    Command.withDescription("Make an API key and show it, once"),
    Command.withExamples([{ command: "vps-service admin keys create --account 1 --scope vps:create" }])
  )

const listKeys = Command.make("list", {
  account_id: Flag.Int("account").pipe(Flag.withDescription("Only this account's"), Flag.optional),
  limit
}, ({ account_id, ...rest }) => present("keys.list", { ...rest, ...given({ account_id }) })).pipe(
  Command.withDescription("List API keys, without the keys themselves")
)

const revokeKey = Command.make("revoke", { id: key }, (asked) => present("keys.revoke", asked)).pipe(
  Command.withDescription("Take a key back; it works no more at once")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("Hand out API keys and take them back"),
  Command.withSubcommands([createKey, listKeys, revokeKey])
)

const topUp = Command.make("top-up", {
  account_id: account,
  amount: Argument.Finite("amount").pipe(Argument.withDescription("In units of the account's currency, like 25.50")),
  reference: Flag.String("reference").pipe(
    Flag.withDescription("The payment's own name: the same one is booked once (default: made up)"),
    Flag.optional
  )
}, ({ reference, ...rest }) => present("wallet.top_up", { ...rest, ...given({ reference }) })).pipe(
  Command.withDescription("Put money into a wallet; what had expired for want of it is renewed"),
  Command.withExamples([{ command: "vps-service admin wallet top-up 1 100 --reference bank-2027-0042" }])
)

const statement = Command.make(
  "statement",
  { account_id: account, limit },
  (asked) => present("wallet.statement", asked)
).pipe(Command.withDescription("What moved a wallet, newest first"))

export const wallet = Command.make("wallet").pipe(
  Command.withDescription("Fill wallets and account for them"),
  Command.withSubcommands([topUp, statement])
)

const verify = Command.make(
  "verify",
  {},
  Effect.fnUntraced(function*() {
    const { balanced } = yield* present("ledger.verify", {})
    if (!balanced) {
      return yield* new CommandRejected({ message: "The books do not balance: see above which, and look why." })
    }
  })
).pipe(Command.withDescription("Recompute every balance from the ledger; fails when one is wrong"))

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Audit the books"),
  Command.withSubcommands([verify])
)
