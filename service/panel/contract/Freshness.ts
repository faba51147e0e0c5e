/**
 * The panel's own calls that need a recent sign-in. The table has every call of its contract: one that is added does
 * not compile before it is declared here. Endpoints of the API have an annotation.
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { SignIn } from "@pulumi-vps/contract/Operation"
import type { PanelApi } from "./PanelApi.ts"

/** `by_command`: as the operators' command declares. */
export type Freshness = SignIn | "by_command"

/** The reason of a 403 that ends with a fresh sign-in. */
export const FRESH_SIGN_IN = "fresh_sign_in"

type Groups = Readonly<Record<string, HttpApiGroup.Constraint>>

/** A value for every call of a contract. */
export type Declared<All extends Groups, Value> = {
  readonly [Group in keyof All]: {
    readonly [Endpoint in HttpApiGroup.Endpoints<All[Group]> as HttpApiEndpoint.Identifier<Endpoint>]: Value
  }
}

/** The panel's own calls. */
export const PANEL_FRESHNESS: Declared<typeof PanelApi["groups"], Freshness> = {
  sign_in: {
    options: "any",
    link: "any",
    passkey_options: "any",
    passkey: "any",
    mail: "any",
    invitation: "any",
    accept_invitation: "any",
    decline_invitation: "any"
  },
  session: { current: "any", sign_out: "any", fresh_options: "any", fresh: "any" },
  me: {
    passkeys: "any",
    passkey_options: "fresh",
    add_passkey: "fresh",
    rename_passkey: "any",
    remove_passkey: "fresh",
    accept_invitation: "any",
    decline_invitation: "any",
    sessions: "any",
    // A person who finds a stranger's session ends it at once.
    end_others: "any",
    end_session: "any",
    leave_account: "fresh"
  },
  account: {
    keys: "any",
    create_key: "fresh",
    rotate_key: "fresh",
    revoke_key: "fresh",
    ssh_keys: "any",
    add_ssh_key: "fresh",
    remove_ssh_key: "fresh",
    rename: "any",
    people: "any",
    set_permission: "fresh",
    invitations: "any",
    invite: "fresh",
    invite_again: "fresh",
    // It takes back what was offered.
    withdraw_invitation: "any",
    remove_person: "fresh",
    instances: "any",
    account_activity: "any",
    auto_renew: "fresh",
    // The response has the password.
    reset_password: "fresh",
    labels: "any",
    set_labels: "any",
    contracts: "any",
    announcements: "any",
    mails: "any",
    choose_mails: "any",
    ptr_records: "any",
    activity: "any"
  },
  console: { open: "fresh" },
  wallet: { balance: "any", forecast: "any", statement: "any", statement_csv: "any" },
  tasks: { list: "any", failures: "any", dismiss: "any" },
  operator: { command: "by_command", instance: "any", metrics: "any", host_use: "any", today: "any", search: "any" },
  // An emulator has nothing to protect.
  emulator: {
    clock: "any",
    set_clock: "any",
    set_deploy: "any",
    faults: "any",
    add_fault: "any",
    clear_faults: "any",
    requests: "any",
    clear_requests: "any",
    mails: "any",
    clear_mails: "any",
    states: "any",
    save_state: "any",
    restore_state: "any",
    reset: "any",
    ledger: "any"
  },
  events: { account: "any", host: "any" }
}
