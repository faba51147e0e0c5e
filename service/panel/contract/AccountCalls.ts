/** The calls of an account's members that the API does not have: keys, people, renewal, activity, wallet, console. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { MoneyAtRisk, Payment } from "@pulumi-vps/contract/Account"
import { Instance, ResetPasswordResult } from "@pulumi-vps/contract/Instance"
import { Task, TASKS_LIMIT_MAX } from "@pulumi-vps/contract/Monitoring"
import {
  type Encoded,
  NullableInt,
  NullableString,
  NullableTimestamp,
  PathId,
  queryInt,
  text,
  Timestamp
} from "@pulumi-vps/contract/Primitives"
import { SCOPES } from "@pulumi-vps/contract/Scope"
import { AccountName, between, EMAIL_MAX, word } from "../../contract/Fields.ts"
import { ANNOUNCEMENT_KINDS, INVITATION_STATES, MAIL_KINDS, PERMISSIONS } from "../../contract/Words.ts"
import { RequiredAccess } from "./Access.ts"
import { Ids } from "./Ids.ts"
import { KeyRecord, LeftKeys, NewKeyRecord, RevokeKeys } from "./Keys.ts"
import { AccountActivity, ActivityQuery } from "./Activity.ts"
import { InstanceLabels, Labels } from "./Labels.ts"
import { Done, Name } from "./Session.ts"
import { StatementRecord } from "../../contract/Statement.ts"

/** Bounds of an overlap, and of the life of a key: a week, and ten years. */
const OVERLAP_HOURS_MAX = 7 * 24
const KEY_DAYS_MAX = 3_650

const CreateKey = Schema.Struct({
  name: Name,
  scopes: Schema.Array(Schema.Literals(SCOPES)),
  /** Never ends if it is absent or null. */
  expires_in_days: Schema.optionalKey(Schema.NullOr(Schema.Int.check(...between(1, KEY_DAYS_MAX))))
})

const RotateKey = Schema.Struct({
  /** The old key works for so long beside the new one; 0 revokes it at once. */
  overlap_hours: Schema.Int.check(...between(0, OVERLAP_HOURS_MAX))
})

export const SshKeyRecord = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  public_key: Schema.String,
  /** As `ssh-keygen -l` prints it. */
  fingerprint: Schema.String,
  created_at: Timestamp
})
export interface SshKeyRecord extends Encoded<typeof SshKeyRecord> {}

export const MemberRecord = Schema.Struct({
  id: Schema.Int,
  email: Schema.String,
  name: Schema.String,
  permission: Schema.Literals(PERMISSIONS),
  passkeys: Schema.Int,
  last_seen_at: NullableTimestamp
})
export interface MemberRecord extends Encoded<typeof MemberRecord> {}

/** Says nothing that depends on whether a person with the address is known. */
export const InvitationRecord = Schema.Struct({
  id: Schema.Int,
  /** As it was typed, in lower case. */
  email: Schema.String,
  permission: Schema.Literals(PERMISSIONS),
  /** The address of the member who invites; null for an operator. */
  invited_by: NullableString,
  state: Schema.Literals(INVITATION_STATES),
  sent_at: Timestamp,
  expires_at: Timestamp
})
export interface InvitationRecord extends Encoded<typeof InvitationRecord> {}

/** `link` is null except in an emulator: only the mail has it. */
export const SentInvitation = Schema.Struct({
  ...InvitationRecord.fields,
  mailed: Schema.Boolean,
  link: NullableString
})

const Renewal = Schema.Struct({
  instance_id: Schema.Int,
  auto_renew: Schema.Boolean,
  expires_at: NullableTimestamp,
  /** True if an expired instance was renewed now. */
  renewed: Schema.Boolean
})

/** The name that reverse DNS gives an address of an instance; null if there is none. */
const PtrRecord = Schema.Struct({ ip: Schema.String, ptr: NullableString })

const MailChoices = Schema.Struct({
  /** The person's address. */
  email: Schema.String,
  /** The owner's address; those mails that may cost data or money go there in any case. */
  owner_email: Schema.String,
  kinds: Schema.Array(Schema.Struct({
    kind: Schema.Literals(MAIL_KINDS),
    wanted: Schema.Boolean,
    /** True for the owner, if it cannot be turned off. */
    required: Schema.Boolean
  }))
})
export interface MailChoices extends Encoded<typeof MailChoices> {}

const ContractsRecord = Schema.Struct({
  prices: Schema.Array(Schema.Struct({
    instance_id: Schema.Int,
    /** As the customer pays it. */
    charge: Schema.Finite,
    /** It applies to periods that begin then or later. */
    from: Timestamp
  })),
  suspended: Schema.Array(Schema.Struct({
    instance_id: Schema.Int,
    /** The charge of each period; null while the suspension costs nothing. */
    charge: Schema.NullOr(Schema.Finite)
  })),
  /** Those of the last 30 days, newest first. */
  ended: Schema.Array(Schema.Struct({
    instance_id: Schema.Int,
    hostname: NullableString,
    plan: Schema.String,
    /** Null while it is being deleted. */
    deleted_at: NullableTimestamp,
    /** The end of its paid period. */
    expired_at: Timestamp,
    /** False: nothing paid for it. */
    by_host: Schema.Boolean
  }))
})
export interface ContractsRecord extends Encoded<typeof ContractsRecord> {}

const AnnouncementRecord = Schema.Struct({
  id: Schema.Int,
  /** Another one after each change. */
  version: Schema.Int,
  kind: Schema.Literals(ANNOUNCEMENT_KINDS),
  title: Schema.String,
  text: Schema.String,
  starts_at: Timestamp,
  ends_at: Timestamp,
  running: Schema.Boolean,
  /** Null: all of the account. */
  instances: Schema.NullOr(Schema.Array(Schema.Struct({ id: Schema.Int, hostname: NullableString })))
})
export interface AnnouncementRecord extends Encoded<typeof AnnouncementRecord> {}

/** A task with the person or the key that requested it. */
const ActivityRecord = Schema.Struct({ ...Task.fields, by: NullableString })
const TaskActivity = Schema.Struct({ items: Schema.Array(ActivityRecord), total: Schema.Int })

const account = { account: PathId }
const one = { account: PathId, id: PathId }

export class AccountCalls extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("keys", "/accounts/:account/keys", { params: account, success: Schema.Array(KeyRecord) }),
    HttpApiEndpoint.post("create_key", "/accounts/:account/keys", {
      params: account,
      payload: CreateKey,
      success: NewKeyRecord
    }),
    HttpApiEndpoint.post("rotate_key", "/accounts/:account/keys/:id/rotate", {
      params: one,
      payload: RotateKey,
      success: NewKeyRecord
    }),
    HttpApiEndpoint.delete("revoke_key", "/accounts/:account/keys/:id", { params: one, success: Done }),
    HttpApiEndpoint.get("ssh_keys", "/accounts/:account/ssh-keys", {
      params: account,
      success: Schema.Array(SshKeyRecord)
    }),
    HttpApiEndpoint.post("add_ssh_key", "/accounts/:account/ssh-keys", {
      params: account,
      payload: Schema.Struct({ name: Name, public_key: text(1, 4096) }),
      success: SshKeyRecord
    }),
    HttpApiEndpoint.delete("remove_ssh_key", "/accounts/:account/ssh-keys/:id", { params: one, success: Done }),
    /** An empty one shows the owner's address instead. */
    HttpApiEndpoint.put("rename", "/accounts/:account/name", {
      params: account,
      payload: Schema.Struct({ name: AccountName }),
      success: Done
    }),
    HttpApiEndpoint.get("people", "/accounts/:account/people", {
      params: account,
      success: Schema.Array(MemberRecord)
    }),
    HttpApiEndpoint.get("invitations", "/accounts/:account/invitations", {
      params: account,
      success: Schema.Array(InvitationRecord)
    }),
    HttpApiEndpoint.post("invite", "/accounts/:account/invitations", {
      params: account,
      payload: Schema.Struct({
        email: text(3, EMAIL_MAX),
        /** Full by default. */
        permission: Schema.optionalKey(word(PERMISSIONS))
      }),
      success: SentInvitation
    }),
    HttpApiEndpoint.post("invite_again", "/accounts/:account/invitations/:id/send", {
      params: one,
      success: SentInvitation
    }),
    HttpApiEndpoint.delete("withdraw_invitation", "/accounts/:account/invitations/:id", {
      params: one,
      success: Done
    }),
    HttpApiEndpoint.delete("remove_person", "/accounts/:account/people/:id", {
      params: one,
      query: RevokeKeys,
      success: LeftKeys
    }),
    HttpApiEndpoint.put("set_permission", "/accounts/:account/people/:id/permission", {
      params: one,
      query: RevokeKeys,
      payload: Schema.Struct({ permission: word(PERMISSIONS) }),
      success: LeftKeys
    }),
    /** Those of the ids that the account has: an open page follows changes by it, without the whole list. */
    HttpApiEndpoint.get("instances", "/accounts/:account/instances", {
      params: account,
      query: { ids: Ids },
      success: Schema.Array(Instance)
    }),
    HttpApiEndpoint.get("account_activity", "/accounts/:account/activity", {
      params: account,
      query: ActivityQuery,
      success: AccountActivity
    }),
    HttpApiEndpoint.put("auto_renew", "/accounts/:account/instances/:id/auto-renew", {
      params: one,
      payload: Schema.Struct({ auto_renew: Schema.Boolean }),
      success: Renewal
    }),
    /** As the API does, but mails a copy to the owner of the account only on request. */
    HttpApiEndpoint.post("reset_password", "/accounts/:account/instances/:id/reset-password", {
      params: one,
      payload: Schema.Struct({ mail: Schema.Boolean }),
      success: ResetPasswordResult
    }),
    /** Besides the instances: prices to come, suspensions, and what was deleted lately. */
    HttpApiEndpoint.get("contracts", "/accounts/:account/contracts", { params: account, success: ContractsRecord }),
    /** The host's, which are planned or running, by their beginning. */
    HttpApiEndpoint.get("announcements", "/accounts/:account/announcements", {
      params: account,
      success: Schema.Array(AnnouncementRecord)
    }),
    /** Of the instances that have some. */
    HttpApiEndpoint.get("labels", "/accounts/:account/labels", {
      params: account,
      success: Schema.Array(InstanceLabels)
    }),
    HttpApiEndpoint.put("set_labels", "/accounts/:account/instances/:id/labels", {
      params: one,
      payload: Schema.Struct({ labels: Labels }),
      success: InstanceLabels
    }),
    /** The mails about the account that the person gets. */
    HttpApiEndpoint.get("mails", "/accounts/:account/mails", { params: account, success: MailChoices }),
    HttpApiEndpoint.put("choose_mails", "/accounts/:account/mails", {
      params: account,
      payload: Schema.Struct({ wanted: Schema.Array(Schema.Literals(MAIL_KINDS)) }),
      success: MailChoices
    }),
    HttpApiEndpoint.get("ptr_records", "/accounts/:account/instances/:id/ptr-records", {
      params: one,
      success: Schema.Array(PtrRecord)
    }),
    HttpApiEndpoint.get("activity", "/accounts/:account/instances/:id/activity", {
      params: one,
      query: { limit: Schema.optionalKey(queryInt(1, TASKS_LIMIT_MAX)), offset: Schema.optionalKey(queryInt(0)) },
      success: TaskActivity
    })
  )
  .annotate(RequiredAccess, "account")
{}

const WalletRecord = Schema.Struct({
  balance: Schema.Finite,
  currency: Schema.String,
  /** Null if it pays for all that is due within the next days. */
  at_risk: Schema.NullOr(MoneyAtRisk),
  /** For all that is due soon, and for what the account owes; 0 if nothing is. */
  missing: Schema.Finite,
  /** The ways to pay, with `{amount}` in the address of the page; null if the host has not said it. */
  payment: Schema.NullOr(Payment)
})
export interface WalletRecord extends Encoded<typeof WalletRecord> {}

/** A charge that is to come, and the balance after it; below zero, so much is missing. */
const ForecastRecord = Schema.Struct({
  at: Timestamp,
  instance_id: Schema.Int,
  hostname: NullableString,
  charge: Schema.Finite,
  balance: Schema.Finite
})
export interface ForecastRecord extends Encoded<typeof ForecastRecord> {}

/** `next` is for the query of the next page; null on the last one. */
const StatementPage = Schema.Struct({ items: Schema.Array(StatementRecord), next: NullableInt })

/** Most lines of a page. */
const STATEMENT_LIMIT_MAX = 200

export class WalletCalls extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.get("balance", "/accounts/:account/wallet", { params: account, success: WalletRecord }),
    /** In order, for the next 60 days. */
    HttpApiEndpoint.get("forecast", "/accounts/:account/wallet/forecast", {
      params: account,
      success: Schema.Struct({ from: Timestamp, until: Timestamp, charges: Schema.Array(ForecastRecord) })
    }),
    HttpApiEndpoint.get("statement", "/accounts/:account/wallet/statement", {
      params: account,
      query: {
        limit: Schema.optionalKey(queryInt(1, STATEMENT_LIMIT_MAX)),
        /** The `next` of the page before. */
        after: Schema.optionalKey(queryInt(1)),
        /** Only lines of this instance. */
        instance: Schema.optionalKey(queryInt(1))
      },
      success: StatementPage
    }),
    HttpApiEndpoint.get("statement_csv", "/accounts/:account/wallet/statement.csv", {
      params: account,
      success: Schema.String
    })
  )
  .annotate(RequiredAccess, "account")
{}

/** The path of a WebSocket that carries a console. */
export const CONSOLE_PATH = "/panel/api/console"

export class Console extends HttpApiGroup.make("console")
  .add(
    HttpApiEndpoint.post("open", "/accounts/:account/instances/:id/console", {
      params: { account: PathId, id: PathId },
      /** With a ticket that opens one connection, by this session and until then. */
      success: Schema.Struct({ path: Schema.String, expires_at: Timestamp })
    })
  )
  .annotate(RequiredAccess, "account")
{}
