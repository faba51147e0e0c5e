/**
 * The panel's sessions, the links that start one, and the tickets for consoles: each ticket opens one connection of one
 * session to one instance. Of each only a digest is stored.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rows from "../Rows.ts"
import { columns, selectAll, selectOne, update, updateOne } from "../Columns.ts"
import { Sql } from "../Sql.ts"

export type SignInMethod = "link" | "passkey"

export interface Session {
  readonly id: number
  readonly personId: number
  readonly method: SignInMethod
  /** The client's, when it signed in. */
  readonly address: string
  /** The browser's description of itself. */
  readonly agent: string
  readonly createdAt: number
  readonly seenAt: number
  /** The time at which the person last confirmed to be present. */
  readonly freshAt: number
}

export interface NewSession extends Omit<Session, "id" | "createdAt" | "seenAt" | "freshAt"> {
  readonly digest: string
  readonly at: number
}

export class Sessions extends Context.Service<Sessions, {
  readonly find: (digest: string) => Effect.Effect<Session | undefined>
  readonly findById: (id: number) => Effect.Effect<Session | undefined>
  readonly create: (session: NewSession) => Effect.Effect<number>
  readonly touch: (id: number, at: number) => Effect.Effect<void>
  /** Replaces the digest, so that a copy of the old cookie is worthless. */
  readonly refresh: (id: number, digest: string, at: number) => Effect.Effect<void>
  /** Newest first. */
  readonly ofPerson: (personId: number) => Effect.Effect<ReadonlyArray<Session>>
  /** False when the person has no such session. */
  readonly end: (id: number, personId: number) => Effect.Effect<boolean>
  /** Ends all of the person's sessions but one; 0 keeps none. */
  readonly endOthers: (personId: number, id: number) => Effect.Effect<void>
  /** Deletes sessions that began, or had their last request, before these moments. */
  readonly deleteEnded: (begunBefore: number, seenBefore: number) => Effect.Effect<void>
  readonly addLink: (digest: string, personId: number, expiresAt: number) => Effect.Effect<void>
  /** Uses up a link: the id of its person; undefined if there is none that is valid now. */
  readonly takeLink: (digest: string, now: number) => Effect.Effect<number | undefined>
  /** The end of the newest link of a person; undefined without one. */
  readonly newestLink: (personId: number) => Effect.Effect<number | undefined>
  /** Makes the links of a person invalid. */
  readonly dropLinks: (personId: number) => Effect.Effect<void>
  readonly deleteExpiredLinks: (now: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/Sessions") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO sessions (digest, person_id, method, address, agent, created_at, seen_at, fresh_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6)`
      )
      const take = sql.one<[number]>(
        "DELETE FROM sign_in_links WHERE digest = ? AND expires_at > ? RETURNING person_id"
      )
      const newest = sql.one<[number | null]>("SELECT max(expires_at) FROM sign_in_links WHERE person_id = ?")
      return {
        find: selectOne(sql, SESSION, "FROM sessions WHERE digest = ?"),
        findById: selectOne(sql, SESSION, "FROM sessions WHERE id = ?"),
        create: ({ address, agent, at, digest, method, personId }) =>
          insert(digest, personId, method, address, agent, at),
        touch: update(sql, "UPDATE sessions SET seen_at = ?2 WHERE id = ?1"),
        refresh: update(sql, "UPDATE sessions SET digest = ?2, fresh_at = ?3 WHERE id = ?1"),
        ofPerson: selectAll(sql, SESSION, "FROM sessions WHERE person_id = ? ORDER BY id DESC"),
        end: updateOne(sql, "DELETE FROM sessions WHERE id = ? AND person_id = ?"),
        endOthers: update(sql, "DELETE FROM sessions WHERE person_id = ? AND id <> ?"),
        deleteEnded: update(sql, "DELETE FROM sessions WHERE created_at < ? OR seen_at < ?"),
        addLink: update(sql, "INSERT INTO sign_in_links (digest, person_id, expires_at) VALUES (?, ?, ?)"),
        takeLink: (digest, now) => Rows.optionalValue(take(digest, now)),
        newestLink: (personId) => Rows.optionalValue(newest(personId)),
        dropLinks: update(sql, "DELETE FROM sign_in_links WHERE person_id = ?"),
        deleteExpiredLinks: update(sql, "DELETE FROM sign_in_links WHERE expires_at <= ?")
      }
    })
  )
}

const SESSION = columns<Session>({
  id: "id",
  personId: "person_id",
  method: "method",
  address: "address",
  agent: "agent",
  createdAt: "created_at",
  seenAt: "seen_at",
  freshAt: "fresh_at"
})

export interface Ticket {
  readonly sessionId: number
  readonly instanceId: number
}

export class ConsoleTickets extends Context.Service<ConsoleTickets, {
  /** Also deletes expired ones. */
  readonly add: (digest: string, ticket: Ticket, now: number, expiresAt: number) => Effect.Effect<void>
  /** Uses up a ticket of a session: its instance; undefined if there is none that is valid now. */
  readonly take: (digest: string, sessionId: number, now: number) => Effect.Effect<number | undefined>
}>()("@pulumi-vps/service/ConsoleTickets") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const expire = update(sql, "DELETE FROM console_tickets WHERE expires_at <= ?")
      const add = update(
        sql,
        "INSERT INTO console_tickets (digest, session_id, instance_id, expires_at) VALUES (?, ?, ?, ?)"
      )
      const take = sql.one<[number]>(
        "DELETE FROM console_tickets WHERE digest = ? AND session_id = ? AND expires_at > ? RETURNING instance_id"
      )
      return {
        add: (digest, { instanceId, sessionId }, now, expiresAt) =>
          Effect.andThen(expire(now), add(digest, sessionId, instanceId, expiresAt)),
        take: (digest, sessionId, now) => Rows.optionalValue(take(digest, sessionId, now))
      }
    })
  )
}
