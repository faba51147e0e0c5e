/**
 * The permission of a member that each call of an account needs. The table has every one of the panel's own: a call
 * that is added does not compile before it is declared here. Those of the API follow from the scope of a key.
 */
import type { Scope } from "@pulumi-vps/contract/Scope"
import type { Permission } from "../../contract/Words.ts"
import type { Declared, Freshness } from "./Freshness.ts"
import type { PanelApi } from "./PanelApi.ts"

/** `unless_dry_run`: full, except for a preview. */
export type Needed = Permission | "unless_dry_run"

/** The reason of a 403 to a member who may only read. */
export const READ_ONLY = "read_only"

/** The groups with calls for the members of an account. */
type Groups = Pick<typeof PanelApi["groups"], "account" | "console" | "wallet" | "tasks" | "events">

export const PANEL_PERMISSIONS: Declared<Groups, Needed> = {
  account: {
    keys: "read",
    create_key: "full",
    rotate_key: "full",
    revoke_key: "full",
    ssh_keys: "read",
    add_ssh_key: "full",
    remove_ssh_key: "full",
    rename: "full",
    people: "read",
    set_permission: "full",
    invitations: "read",
    invite: "full",
    invite_again: "full",
    withdraw_invitation: "full",
    remove_person: "full",
    instances: "read",
    account_activity: "read",
    auto_renew: "full",
    reset_password: "full",
    labels: "read",
    set_labels: "full",
    contracts: "read",
    announcements: "read",
    mails: "read",
    // Of the person, and not of the account.
    choose_mails: "read",
    ptr_records: "read",
    activity: "read"
  },
  // It sends keys to the instance.
  console: { open: "full" },
  wallet: { balance: "read", forecast: "read", statement: "read", statement_csv: "read" },
  // A member who only reads cannot hide a failure from the others.
  tasks: { list: "read", failures: "read", dismiss: "full" },
  events: { account: "read", host: "read" }
}

/** A key with the scope `vps:read` changes nothing. */
export const apiPermission = (scope: Scope | undefined, freshness: Freshness): Needed => {
  if (scope === undefined || scope === "vps:read") return "read"
  return freshness === "unless_dry_run" ? "unless_dry_run" : "full"
}
