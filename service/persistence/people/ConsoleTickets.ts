/** Tickets for consoles: each opens one connection of one session to one instance. Only digests are stored. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { update } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import { Sql } from "../Sql.ts"

export interface Ticket {
  readonly sessionId: number
  readonly instanceId: number
}

export class ConsoleTickets extends Context.Service<ConsoleTickets, {
  /** Also deletes expired ones. */
  readonly add: (digest: string, ticket: Ticket, now: number, expiresAt: number) => Effect.Effect<void>
  /** Uses up a ticket of a session: its instance; undefined if there is none that is valid now. */
  readonly take: (digest: string, sessionId: number, now: number) => Effect.Effect<number | undefined>
}>()("pulumi-vps/service/ConsoleTickets") {
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
