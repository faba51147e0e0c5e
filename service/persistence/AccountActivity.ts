/** The acts in an account: entries of the audit log, and tasks of its instances. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import { ENTRY } from "./AuditEntries.ts"
import { among, selectAll } from "./Columns.ts"
import { Sql } from "./Sql.ts"
import { TASK, type Task } from "./tasks/Task.ts"

export interface ActivityFilter {
  readonly accountId: number
  /** Only before this number, in the source's own numbers. */
  readonly before: number
  /** Only of this person; null for all. */
  readonly personId: number | null
  readonly limit: number
}

/** The acts that the people of an account see; others are the host's own business, or a person's. */
const VISIBLE_ACTIONS = [
  "keys.create",
  "keys.rotate",
  "keys.revoke",
  "ssh_keys.add",
  "ssh_keys.remove",
  "invitations.send",
  "invitations.withdraw",
  "invitations.accept",
  "invitations.decline",
  "people.invite",
  "people.withdraw",
  "people.permission",
  "people.remove",
  "people.leave",
  "accounts.create",
  "accounts.edit",
  "accounts.rename",
  "accounts.close",
  "accounts.reopen",
  "accounts.freeze",
  "accounts.unfreeze",
  "wallet.top_up",
  "wallet.move_payment",
  "wallet.debit",
  "wallet.refund",
  "instances.labels",
  "console.start"
] as const

export class AccountActivity extends Context.Service<AccountActivity, {
  /** Newest first, as in all of them. */
  readonly entries: (filter: ActivityFilter) => Effect.Effect<ReadonlyArray<AuditEntry>>
  /** The sign-ins of a member since they joined; none for others. */
  readonly signIns: (filter: ActivityFilter & { readonly personId: number }) => Effect.Effect<ReadonlyArray<AuditEntry>>
  /** Without nightly backups, and what follows from another task. */
  readonly tasks: (filter: ActivityFilter) => Effect.Effect<ReadonlyArray<Task>>
}>()("@pulumi-vps/service/AccountActivity") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const entries = selectAll(sql, ENTRY, ENTRIES)
      const signIns = selectAll(sql, ENTRY, SIGN_INS)
      const tasks = selectAll(sql, TASK, TASKS)
      return {
        entries: ({ accountId, before, limit, personId }) => entries(accountId, before, personId, limit),
        signIns: ({ accountId, before, limit, personId }) => signIns(accountId, before, personId, limit),
        tasks: ({ accountId, before, limit, personId }) => tasks(accountId, before, personId, limit)
      }
    })
  )
}

const ENTRIES = `FROM audit
  WHERE account_id = ?1 AND seq < ?2 AND (CAST(?3 AS BIGINT) IS NULL OR person_id = ?3) AND outcome = 'done'
    AND action ${among(VISIBLE_ACTIONS)}
  ORDER BY seq DESC LIMIT ?4`

const SIGN_INS = `FROM audit
  WHERE person_id = ?3 AND seq < ?2 AND action IN ('sign_in.link', 'sign_in.passkey')
    AND at >= (SELECT m.created_at FROM memberships m WHERE m.account_id = ?1 AND m.person_id = ?3)
  ORDER BY seq DESC LIMIT ?4`

/** The sign hides the id from the planner, which would rather read the newest tasks of all accounts. */
const TASKS = `FROM tasks WHERE id IN (
    SELECT t.id FROM instances i JOIN tasks t ON t.instance_id = i.id
    WHERE i.account_id = ?1 AND +t.id < ?2 AND (CAST(?3 AS BIGINT) IS NULL OR t.person_id = ?3)
      AND t.purpose = 'request' AND t.type <> 'backup_create'
    ORDER BY +t.id DESC LIMIT ?4)
  ORDER BY id DESC`
