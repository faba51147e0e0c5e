/** The people who may sign in to the panel, and the accounts of which they are members. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, contains, selectAll, selectOne, update, updateOne } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import { Sql } from "../Sql.ts"
import type { Permission, Role } from "../../contract/Words.ts"

export interface Person {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Names the person to authenticators. */
  readonly handle: string
  readonly createdAt: number
}

/** An account as its members see it in a list. */
export interface JoinedAccount {
  readonly id: number
  readonly email: string
  /** The address if it has no name of its own. */
  readonly name: string
  readonly currency: string
  readonly permission: Permission
  /** The reason for which the account is frozen; null unless it is. */
  readonly frozenReason: string | null
}

export interface ListedPerson extends Person {
  readonly passkeys: number
  /** The end of the newest link that is not used yet; null without one. */
  readonly linkUntil: number | null
  readonly lastSeenAt: number | null
  /** In the account of the list; null in a list of all people. */
  readonly permission: Permission | null
}

export class People extends Context.Service<People, {
  readonly find: (id: number) => Effect.Effect<Person | undefined>
  readonly findByEmail: (email: string) => Effect.Effect<Person | undefined>
  readonly findByHandle: (handle: string) => Effect.Effect<Person | undefined>
  readonly create: (person: Omit<Person, "id">) => Effect.Effect<number>
  /** Also deletes memberships, passkeys, sessions, links and invitations. False when there is no such person. */
  readonly remove: (id: number) => Effect.Effect<boolean>
  /** By id; null lists all, an account only its members. */
  readonly list: (
    accountId: number | null,
    limit: number,
    search?: string,
    /** Only those after this id. */
    after?: number
  ) => Effect.Effect<ReadonlyArray<ListedPerson>>
  /**
   * The first that the person joined is first, so that no invitation changes where their pages open. Here and in
   * `permissionOf`, a closed account has no members until it is opened again.
   */
  readonly accountsOf: (personId: number) => Effect.Effect<ReadonlyArray<JoinedAccount>>
  /** Undefined unless the person is a member. */
  readonly permissionOf: (personId: number, accountId: number) => Effect.Effect<Permission | undefined>
  readonly isMember: (personId: number, accountId: number) => Effect.Effect<boolean>
  /** False if the person is a member already. */
  readonly join: (personId: number, accountId: number, at: number, permission?: Permission) => Effect.Effect<boolean>
  /** False if the person is not a member. */
  readonly setPermission: (personId: number, accountId: number, permission: Permission) => Effect.Effect<boolean>
  /** False if the person was not a member. */
  readonly leave: (personId: number, accountId: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/People") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        "INSERT INTO people (email, name, role, handle, created_at) VALUES (?, ?, ?, ?, ?)"
      )
      const list = selectAll(
        sql,
        LISTED,
        `FROM people p WHERE (CAST(?1 AS BIGINT) IS NULL
           OR EXISTS (SELECT 1 FROM memberships m WHERE m.person_id = p.id AND m.account_id = ?1))
           AND (CAST(?3 AS TEXT) IS NULL OR ${contains("p.email", "?3")} OR ${contains("p.name", "?3")})
           AND p.id > ?4
         ORDER BY p.id LIMIT ?2`
      )
      const member = sql.one<[Permission]>(`SELECT m.permission ${USABLE} AND m.account_id = ?`)
      const joins = sql.run(
        `INSERT INTO memberships (person_id, account_id, created_at, permission) VALUES (?, ?, ?, ?)
         ON CONFLICT (person_id, account_id) DO NOTHING`
      )
      const forget = ["mail_choices", "memberships", "passkeys", "sign_in_links", "sessions"].map((table) =>
        update(sql, `DELETE FROM ${table} WHERE person_id = ?`)
      )
      const uninvite = update(
        sql,
        "DELETE FROM invitations WHERE email = (SELECT p.email FROM people p WHERE p.id = ?)"
      )
      const remove = updateOne(sql, "DELETE FROM people WHERE id = ?")
      const leave = updateOne(sql, "DELETE FROM memberships WHERE person_id = ? AND account_id = ?")
      const unchoose = update(sql, "DELETE FROM mail_choices WHERE person_id = ? AND account_id = ?")
      return {
        find: selectOne(sql, PERSON, "FROM people p WHERE p.id = ?"),
        findByEmail: selectOne(sql, PERSON, "FROM people p WHERE p.email = ?"),
        findByHandle: selectOne(sql, PERSON, "FROM people p WHERE p.handle = ?"),
        create: ({ createdAt, email, handle, name, role }) => insert(email, name, role, handle, createdAt),
        remove: (id) =>
          Effect.andThen(Effect.forEach([uninvite, ...forget], (each) => each(id), { discard: true }), remove(id)),
        list: (accountId, limit, search, after = 0) => list(accountId, limit, search?.toLowerCase() ?? null, after),
        accountsOf: selectAll(sql, JOINED, `${USABLE} ORDER BY m.created_at, a.id`),
        isMember: (personId, accountId) => Rows.exists(member(personId, accountId)),
        permissionOf: (personId, accountId) => Rows.optionalValue(member(personId, accountId)),
        join: (personId, accountId, at, permission = "full") =>
          Effect.map(joins(personId, accountId, at, permission), (rows) => rows === 1),
        setPermission: updateOne(
          sql,
          "UPDATE memberships SET permission = ?3 WHERE person_id = ?1 AND account_id = ?2"
        ),
        leave: (personId, accountId) => Effect.andThen(unchoose(personId, accountId), leave(personId, accountId))
      }
    })
  )
}

const PERSON = columns<Person>({
  id: "p.id",
  email: "p.email",
  name: "p.name",
  role: "p.role",
  handle: "p.handle",
  createdAt: "p.created_at"
})

const LISTED = columns<ListedPerson>({
  id: "p.id",
  email: "p.email",
  name: "p.name",
  role: "p.role",
  handle: "p.handle",
  createdAt: "p.created_at",
  passkeys: "(SELECT count(*) FROM passkeys k WHERE k.person_id = p.id)",
  linkUntil: "(SELECT max(l.expires_at) FROM sign_in_links l WHERE l.person_id = p.id)",
  lastSeenAt: "(SELECT max(s.seen_at) FROM sessions s WHERE s.person_id = p.id)",
  permission: "(SELECT m.permission FROM memberships m WHERE m.person_id = p.id AND m.account_id = ?1)"
})

const JOINED = columns<JoinedAccount>({
  id: "a.id",
  email: "a.email",
  name: "coalesce(a.name, a.email)",
  currency: "a.currency",
  permission: "m.permission",
  frozenReason: "a.frozen_reason"
})

const USABLE = "FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE a.closed_at IS NULL AND m.person_id = ?"
