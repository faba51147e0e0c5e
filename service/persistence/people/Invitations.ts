/** Open invitations to the panel. Of the token that a mail carries, only a digest is stored. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, optional, selectAll, selectOne, update, updateOne } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import { Sql } from "../Sql.ts"
import type { Permission, Role } from "../../contract/Words.ts"

export interface Invitation {
  readonly id: number
  /** Null for an operator without an account. */
  readonly accountId: number | null
  /** As it was typed, in lower case: whether a person with it exists shows only once they accept. */
  readonly email: string
  /** The name of a person who is new; null takes it from the address. */
  readonly name: string | null
  /** The role of a person who is new. */
  readonly role: Role
  /** In the account. */
  readonly permission: Permission
  /** The address of the member who invites; null for an operator. */
  readonly invitedBy: string | null
  readonly sentAt: number
  readonly expiresAt: number
}

/** An invitation with the account as its members see it in a list; undefined for none. */
export interface InvitationToAccount extends Invitation {
  readonly account: string | undefined
}

export interface SentInvitation extends Omit<Invitation, "id"> {
  readonly digest: string
}

export class Invitations extends Context.Service<Invitations, {
  /** Replaces an earlier one of the address to the account, also a withdrawn one. Returns its id. */
  readonly send: (invitation: SentInvitation) => Effect.Effect<number>
  /** Not withdrawn; it may have expired. */
  readonly find: (id: number) => Effect.Effect<Invitation | undefined>
  /** Valid at a moment. Also without those to closed accounts, here and in `ofAddress`. */
  readonly findByDigest: (digest: string, at: number) => Effect.Effect<InvitationToAccount | undefined>
  /** Valid at a moment, by id. */
  readonly ofAddress: (email: string, at: number) => Effect.Effect<ReadonlyArray<InvitationToAccount>>
  /** Of an account, or all with null, by id; not withdrawn, but maybe expired. */
  readonly list: (accountId: number | null, limit: number) => Effect.Effect<ReadonlyArray<Invitation>>
  /** Those of an account that are valid at a moment, without the one of an address. */
  readonly countOthers: (accountId: number, at: number, email: string) => Effect.Effect<number>
  /** The time of the last mail to an address, also of a withdrawn invitation; undefined without one. */
  readonly lastSent: (accountId: number, email: string) => Effect.Effect<number | undefined>
  /** The number of an account's invitations, also withdrawn ones, that were sent after a moment. */
  readonly countSent: (accountId: number, after: number) => Effect.Effect<number>
  /** False when there is none. The row remains, because its time limits the mails. */
  readonly withdraw: (id: number, at: number) => Effect.Effect<boolean>
  /** Accepted or declined. */
  readonly remove: (id: number) => Effect.Effect<boolean>
  readonly deleteSentBefore: (at: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/Invitations") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO invitations (account_id, email, name, role, permission, invited_by, sent_at, expires_at, digest)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
      )
      const replace = sql.run("DELETE FROM invitations WHERE COALESCE(account_id, 0) = COALESCE(?, 0) AND email = ?")
      const others = sql.one<[number]>(
        `SELECT count(*) FROM invitations
         WHERE account_id = ? AND withdrawn_at IS NULL AND expires_at > ? AND email <> ?`
      )
      const last = sql.one<[number | null]>("SELECT max(sent_at) FROM invitations WHERE account_id = ? AND email = ?")
      const sent = sql.one<[number]>("SELECT count(*) FROM invitations WHERE account_id = ? AND sent_at > ?")
      return {
        send: ({ accountId, digest, email, expiresAt, invitedBy, name, permission, role, sentAt }) =>
          Effect.andThen(
            replace(accountId, email),
            insert(accountId, email, name, role, permission, invitedBy, sentAt, expiresAt, digest)
          ),
        find: selectOne(sql, INVITATION, "FROM invitations i WHERE i.id = ? AND i.withdrawn_at IS NULL"),
        findByDigest: selectOne(sql, TO_ACCOUNT, `${VALID} AND i.digest = ?1 AND i.expires_at > ?2`),
        ofAddress: selectAll(sql, TO_ACCOUNT, `${VALID} AND i.email = ?1 AND i.expires_at > ?2 ORDER BY i.id`),
        list: selectAll(
          sql,
          INVITATION,
          `FROM invitations i WHERE i.withdrawn_at IS NULL AND (CAST(?1 AS BIGINT) IS NULL OR i.account_id = ?1)
           ORDER BY i.id LIMIT ?2`
        ),
        countOthers: (accountId, at, email) => Rows.value(others(accountId, at, email)),
        lastSent: (accountId, email) => Rows.optionalValue(last(accountId, email)),
        countSent: (accountId, after) => Rows.value(sent(accountId, after)),
        withdraw: updateOne(
          sql,
          "UPDATE invitations SET withdrawn_at = ?2 WHERE id = ?1 AND withdrawn_at IS NULL"
        ),
        remove: updateOne(sql, "DELETE FROM invitations WHERE id = ?"),
        deleteSentBefore: update(sql, "DELETE FROM invitations WHERE sent_at < ?")
      }
    })
  )
}

const OWN = {
  id: "i.id",
  accountId: "i.account_id",
  email: "i.email",
  name: "i.name",
  role: "i.role",
  permission: "i.permission",
  invitedBy: "i.invited_by",
  sentAt: "i.sent_at",
  expiresAt: "i.expires_at"
} as const

const INVITATION = columns<Invitation>(OWN)

const TO_ACCOUNT = columns<InvitationToAccount>({ ...OWN, account: optional("coalesce(a.name, a.email)") })

const VALID = `FROM invitations i LEFT JOIN accounts a ON a.id = i.account_id
  WHERE i.withdrawn_at IS NULL AND (i.account_id IS NULL OR a.closed_at IS NULL)`
