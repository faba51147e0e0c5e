/** The commands for accounts, their API keys, and the people who sign in to the panel. */
import * as Schema from "effect/Schema"
import { NullableInt, NullableString, NullableTimestamp, Timestamp } from "@pulumi-vps/contract/Primitives"
import { SCOPES } from "@pulumi-vps/contract/Scope"
import { AccountName, Amount, between, Currency, Email, Id, Name, Percent, Time, word } from "../Fields.ts"
import { INVITATION_STATES, KEY_STATES, PERMISSIONS, ROLES, TREATMENTS } from "../Words.ts"
import { acts, argument, either, flag, optional, reads, toggle } from "./Define.ts"
import { account, limit, reason } from "./Parameters.ts"

export const AccountRecord = Schema.Struct({
  id: Schema.Int,
  email: Schema.String,
  /** Null: members see the address. */
  name: NullableString,
  currency: Schema.String,
  wallet: Amount,
  vat_treatment: Schema.Literals(TREATMENTS),
  /** In percent. */
  vat_rate: Schema.Finite,
  instances: Schema.Int,
  keys: Schema.Int,
  created_at: Timestamp,
  closed_at: NullableTimestamp,
  frozen_at: NullableTimestamp,
  /** The customer sees it. */
  frozen_reason: NullableString
})

/** With the reasons for which it may need an operator. */
const AccountState = Schema.Struct({
  ...AccountRecord.fields,
  /** Of instances that are renewed within 7 days. */
  charges_due: Amount,
  /** True if the wallet does not pay for them. */
  low_balance: Schema.Boolean,
  /** Within the last 7 days. */
  failed_tasks: Schema.Int
})

const NEEDS = ["low_balance", "failures"] as const

/** An absent limit is not changed; null resets it to the service's default, and 0 allows no order. */
const Rate = Schema.optionalKey(Schema.NullOr(Schema.Int.check(...between(0, Number.MAX_SAFE_INTEGER))))

const ACCOUNTS = {
  "accounts.create": acts({
    text: "Create an account with an empty wallet",
    examples: ["accounts create --email owner@example.com"],
    input: () => ({
      email: flag(Email, "The account owner's e-mail address"),
      name: optional(AccountName, "The name that its members see (default: the e-mail address)"),
      currency: flag(Currency, "Currency of the wallet, like EUR", { initial: "EUR" }),
      vat_treatment: flag(word(TREATMENTS), "The customer's VAT treatment", { initial: "domestic" }),
      vat_rate: optional(Percent, "VAT rate in percent, for domestic and oss (default: the home rate, 19)"),
      another: Schema.optionalKey(toggle("Also if the address has an account already"))
    }),
    result: () => AccountRecord
  }),
  "accounts.list": reads({
    text: "List accounts by id",
    input: () => ({
      search: optional(Name, "Only an id, or a part of the name or the e-mail address"),
      need: optional(
        word(NEEDS),
        "Only accounts whose wallet does not pay for the renewals of the next 7 days, or with tasks that failed in the "
          + "last 7 days"
      ),
      after: flag(Schema.Int, "Start after this id, for the next page", { initial: 0 }),
      limit: limit()
    }),
    result: () => Schema.Array(AccountState),
    pages: { from: "after", field: "id" }
  }),
  "accounts.show": reads({
    text: "Show an account",
    input: () => ({ id: account() }),
    result: () => AccountState
  }),
  /** The currency cannot change: the ledger has amounts in it. */
  "accounts.edit": acts({
    text: "Change an account",
    examples: ["accounts edit 1 --email billing@example.com"],
    input: () => ({
      id: account(),
      email: optional(Email, "The account owner's e-mail address"),
      name: optional(AccountName, "The name that its members see; an empty one shows them the e-mail address"),
      vat_treatment: optional(word(TREATMENTS), "The customer's VAT treatment, for new charges"),
      vat_rate: optional(Percent, "VAT rate in percent, for new charges of domestic and oss customers"),
      another: Schema.optionalKey(toggle("Also if another account has the address"))
    }),
    result: () => AccountRecord
  }),
  "accounts.limits": acts({
    text: "Show or change the create limits of an account",
    examples: ["accounts limits 1 --creates-per-hour 200"],
    input: () => ({ id: account(), creates_per_minute: Rate, creates_per_hour: Rate }),
    unless: ({ creates_per_hour: perHour, creates_per_minute: perMinute }) =>
      perHour === undefined && perMinute === undefined,
    result: () =>
      Schema.Struct({
        account_id: Schema.Int,
        creates_per_minute: Schema.Int,
        creates_per_hour: Schema.Int,
        /** Those that differ from the service's. */
        set_for_account: Schema.Array(Schema.Literals(["creates_per_minute", "creates_per_hour"]))
      })
  }),
  "accounts.close": acts({
    text: "Close an account: revoke its API keys, and accept no top-ups, keys or charges. Its records stay. "
      + "Rejected while it has instances or money",
    short: "Close an account that has no instances and no money",
    examples: ["accounts close 1 --reason \"at the request of the customer\""],
    input: () => ({ id: account(), reason: reason("for the audit log") }),
    result: () => Schema.Struct({ ...AccountRecord.fields, revoked_keys: Schema.Int })
  }),
  "accounts.reopen": acts({
    text: "Open a closed account again. Its API keys remain revoked",
    input: () => ({ id: account() }),
    result: () => AccountRecord
  }),
  "accounts.freeze": acts({
    text: "Freeze an account: it can buy nothing, and change nothing that costs money, and its people see the reason. "
      + "Its instances continue and are renewed, or are suspended without a charge",
    short: "Freeze an account: it can buy nothing",
    examples: ["accounts freeze 1 --reason \"a payment was charged back\" --suspend"],
    input: () => ({
      id: account(),
      reason: reason("which the customer sees"),
      suspend: toggle("Suspend its active instances, too; the end of the freeze lifts it")
    }),
    result: () =>
      Schema.Struct({
        ...AccountRecord.fields,
        /** Ids of instances. */
        suspended: Schema.Array(Schema.Int),
        not_suspended: Schema.Array(Schema.Struct({ instance_id: Schema.Int, reason: Schema.String }))
      })
  }),
  "accounts.unfreeze": acts({
    text: "End the freeze of an account, and the suspensions that came with it",
    input: () => ({ id: account() }),
    result: () =>
      Schema.Struct({
        ...AccountRecord.fields,
        /** Ids of instances whose suspension is lifted. */
        released: Schema.Array(Schema.Int),
        not_released: Schema.Array(Schema.Struct({ instance_id: Schema.Int, reason: Schema.String }))
      })
  })
}

const KeyRecord = Schema.Struct({
  id: Schema.Int,
  account_id: Schema.Int,
  name: Schema.String,
  /** Its beginning and its end. */
  key: Schema.String,
  scopes: Schema.Array(Schema.Literals(SCOPES)),
  state: Schema.Literals(KEY_STATES),
  /** The member's address; null for the host. */
  made_by: NullableString,
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp
})

const KEYS = {
  "keys.create": acts({
    text: "Create an API key and show it once",
    examples: ["keys create 1 --scope vps:create"],
    note: "The key is shown only once. Store it now.",
    input: () => ({
      account_id: either(Id, "The account's id; required"),
      name: flag(Name, "A label for the key", { initial: "api key" }),
      scopes: flag(
        Schema.Array(word(SCOPES)),
        "A granted scope; each implies those after it. Required, and repeatable",
        { name: "scope" }
      ),
      expires_at: optional(Time, "Expiry date or time, like 2027-01-31 or 2027-01-31T12:00:00Z (default: never)")
    }),
    result: () =>
      Schema.Struct({
        id: Schema.Int,
        account_id: Schema.Int,
        name: Schema.String,
        scopes: Schema.Array(Schema.Literals(SCOPES)),
        expires_at: NullableTimestamp,
        /** The only place that has it. */
        api_key: Schema.String
      })
  }),
  "keys.list": reads({
    text: "List API keys, without their secret parts",
    input: () => ({
      account_id: Schema.optionalKey(either(Id, "Only keys of this account")),
      after: optional(Id, "Start after this id, for the next page"),
      limit: limit()
    }),
    /** `secret` is the id of the service's secret that the key depends on; null for keys of versions without ids. */
    result: () => Schema.Array(Schema.Struct({ ...KeyRecord.fields, secret: NullableString })),
    pages: { from: "after", field: "id" }
  }),
  "keys.revoke": acts({
    text: "Revoke an API key, with immediate effect",
    input: () => ({ id: argument(Id, "key", "The key's id") }),
    result: () => KeyRecord
  })
}

const InvitationRecord = Schema.Struct({
  id: Schema.Int,
  email: Schema.String,
  role: Schema.Literals(ROLES),
  account_id: NullableInt,
  permission: Schema.Literals(PERMISSIONS),
  /** The address of the member who invites; null for an operator. */
  invited_by: NullableString,
  state: Schema.Literals(INVITATION_STATES),
  sent_at: Timestamp,
  expires_at: Timestamp
})

export const PersonRecord = Schema.Struct({
  id: Schema.Int,
  email: Schema.String,
  name: Schema.String,
  role: Schema.Literals(ROLES),
  /** Ids of those that they are members of. */
  accounts: Schema.Array(Schema.Int),
  /** In the account whose people are listed; null in a list of all people. */
  permission: Schema.NullOr(Schema.Literals(PERMISSIONS)),
  passkeys: Schema.Int,
  link_until: NullableTimestamp,
  last_seen_at: NullableTimestamp,
  created_at: Timestamp
})

const person = () => argument(Id, "person", "The person's id")

const PEOPLE = {
  "people.invite": acts({
    text: "Invite a person, who accepts by a link; mailed, too, if a mail server is configured",
    examples: ["people invite owner@example.com 1", "people invite me@example.com --role operator"],
    note: "The link works once, within a week. It is not shown again: the same command makes a new one.",
    input: () => ({
      email: argument(Email, "email", "The person's e-mail address"),
      name: optional(Name, "The person's name (default: from the address)"),
      role: flag(word(ROLES), "customer: a member of an account; operator: may do everything", { initial: "customer" }),
      account_id: Schema.optionalKey(
        either(Id, "The account of which the person becomes a member; required for customers")
      ),
      permission: optional(word(PERMISSIONS), "What the person may do in the account: full (default), or read")
    }),
    /** Besides the mail, the only place that has the link. */
    result: () => Schema.Struct({ ...InvitationRecord.fields, link: Schema.String, mailed: Schema.Boolean })
  }),
  "people.invitations": reads({
    text: "List the open invitations: those that were neither accepted nor withdrawn",
    input: () => ({ account_id: Schema.optionalKey(either(Id, "Only those to this account")), limit: limit() }),
    result: () => Schema.Array(InvitationRecord)
  }),
  "people.withdraw": acts({
    text: "Withdraw an invitation: its link does not work any more",
    input: () => ({ id: argument(Id, "invitation", "The invitation's id") }),
    result: () => Schema.Struct({ id: Schema.Int, email: Schema.String, withdrawn: Schema.Literal(true) })
  }),
  "people.link": acts({
    text: "Make a link that signs a person in, for one who has lost all passkeys; mailed, too",
    note: "The link signs in once, within a day. It is not shown again: the same command makes a new one.",
    input: () => ({ id: person() }),
    result: () =>
      Schema.Struct({
        id: Schema.Int,
        email: Schema.String,
        link: Schema.String,
        expires_at: Timestamp,
        mailed: Schema.Boolean
      })
  }),
  "people.list": reads({
    text: "List the people who can sign in to the panel",
    input: () => ({
      account_id: Schema.optionalKey(either(Id, "Only members of this account")),
      search: optional(Name, "Only those whose name or e-mail address contains this text"),
      after: optional(Id, "Start after this id, for the next page"),
      limit: limit()
    }),
    result: () => Schema.Array(PersonRecord),
    pages: { from: "after", field: "id" }
  }),
  "people.permission": acts({
    text: "Change the access of a member to an account: full, or read",
    examples: ["people permission 3 1 full"],
    input: () => ({
      id: person(),
      account_id: argument(Id, "account", "The account's id"),
      permission: argument(word(PERMISSIONS), "permission", "full: everything; read: see everything, change nothing")
    }),
    result: () => Schema.Struct({ id: Schema.Int, account_id: Schema.Int, permission: Schema.Literals(PERMISSIONS) })
  }),
  "people.remove": acts({
    text: "Remove a person at once, with sessions, passkeys, and memberships; says which API keys remain",
    input: () => ({
      id: person(),
      revoke_keys: Schema.optionalKey(toggle("Also revoke the API keys that the person made, in all accounts"))
    }),
    result: () =>
      Schema.Struct({
        id: Schema.Int,
        email: Schema.String,
        removed: Schema.Literal(true),
        revoked: Schema.Array(KeyRecord),
        /** Those that the person may still know. */
        remaining: Schema.Array(KeyRecord)
      })
  })
}

export const ACCOUNT_COMMANDS = { ...ACCOUNTS, ...KEYS, ...PEOPLE }
