/** Mails that wait to be sent, written in the transaction of what they report, and those that have ended. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MailKind, SentMailKind } from "../contract/Words.ts"
import { columns, flag, selectAll, selectOne, update, updateOne } from "./Columns.ts"
import { given, indexed, makeList } from "./Listing.ts"
import { Sql } from "./Sql.ts"

export interface NewMail {
  /** The event that it reports, in a text that no other mail has: `expired:12:1800000000000`. */
  readonly event: string
  readonly kind: SentMailKind
  readonly accountId: number | null
  readonly instanceId: number | null
  readonly to: string
  readonly subject: string
  /** Plain text, without secrets. */
  readonly text: string
}

export interface StoredMail extends NewMail {
  readonly id: number
  readonly createdAt: number
  /** Of the next attempt, or the end of the one that is being made; null once it has ended. */
  readonly dueAt: number | null
  readonly attempts: number
  readonly sentAt: number | null
  /** The reason that the last attempt failed, or that it was not sent; null if nothing failed. */
  readonly error: string | null
}

/** A person's choice of a kind. */
export interface MailChoice {
  readonly kind: MailKind
  readonly isWanted: boolean
}

/** Null selects all. */
export interface MailFilter {
  readonly accountId: number | null
  readonly state: "waiting" | "sent" | "failed" | null
  /** Only those before this id. */
  readonly before: number | null
}

/** The mails that wait. */
export interface WaitingMails {
  readonly count: number
  /** When the oldest was written, in epoch milliseconds; undefined if none waits. */
  readonly oldest: number | undefined
}

export class Mails extends Context.Service<Mails, {
  /**
   * Writes it for the owner, unless they have turned its kind off, and for each member who has chosen it; once for each
   * event. `to` is the owner's address. Part of the transaction of what it reports.
   */
  readonly add: (mail: NewMail, at: number) => Effect.Effect<void>
  /** Writes it for the owner only; returns the id, or 0 if there is a mail of the event. */
  readonly addForOwner: (mail: NewMail, at: number) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<StoredMail | undefined>
  /** Newest first. */
  readonly list: (filter: MailFilter, limit: number) => Effect.Effect<ReadonlyArray<StoredMail>>
  /** The kinds for which a person has chosen, in an account. */
  readonly choices: (personId: number, accountId: number) => Effect.Effect<ReadonlyArray<MailChoice>>
  readonly choose: (personId: number, accountId: number, choice: MailChoice) => Effect.Effect<void>
  /** Takes the mail that has been due longest for one attempt, which ends before a moment. */
  readonly take: (now: number, until: number) => Effect.Effect<StoredMail | undefined>
  readonly sent: (id: number, at: number) => Effect.Effect<void>
  /** The attempt failed; the next one is made at a moment. */
  readonly retryAt: (id: number, at: number, error: string) => Effect.Effect<void>
  /** Its text, before it is sent. */
  readonly rewrite: (id: number, text: string) => Effect.Effect<void>
  /** It will not be sent. */
  readonly fail: (id: number, error: string) => Effect.Effect<void>
  /** False if an attempt is being made or it has ended. */
  readonly withdraw: (id: number, now: number, reason: string) => Effect.Effect<boolean>
  /** Sends a failed one again, or a waiting one now; false if it was sent or an attempt is being made. */
  readonly again: (id: number, now: number) => Effect.Effect<boolean>
  readonly waiting: Effect.Effect<WaitingMails>
  /** The newest mail of a test whose event begins with a text, or the newest of those that were sent. */
  readonly lastTest: (events: string, onlySent: boolean) => Effect.Effect<StoredMail | undefined>
  /**
   * Deletes up to a number of those that were sent, and written before a moment; returns how many. Tests stay: that the
   * mail server works is known by them.
   */
  readonly deleteSent: (before: number, limit: number) => Effect.Effect<number>
}>()("@pulumi-vps/service/Mails") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO mails (event, kind, account_id, instance_id, recipient, subject, body, created_at, due_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (event) DO NOTHING`
      )
      const addForAll = sql.post(ADD_FOR_ALL)
      const choose = update(
        sql,
        `INSERT INTO mail_choices (account_id, kind, person_id, wanted) VALUES (?, ?, ?, ?)
         ON CONFLICT (account_id, kind, person_id) DO UPDATE SET wanted = excluded.wanted`
      )
      const list = makeList(sql, { columns: MAIL, table: "mails", alias: "m", id: "id", newestFirst: true })
      const find = selectOne(sql, MAIL, "FROM mails WHERE id = ?")
      const due = selectOne(sql, MAIL, "FROM mails WHERE due_at <= ? ORDER BY due_at, id LIMIT 1")
      // The condition decides between replicas: the moment differs after each attempt.
      const lease = updateOne(
        sql,
        `UPDATE mails SET due_at = ?3, lease_until = ?3, attempts = attempts + 1
         WHERE id = ?1 AND due_at <= ?2`
      )
      const waiting = sql.one<[number, number | null]>(
        "SELECT count(*), min(created_at) FROM mails WHERE due_at IS NOT NULL"
      )
      const deleteSent = sql.run(
        `DELETE FROM mails WHERE id IN (
           SELECT id FROM mails WHERE sent_at IS NOT NULL AND created_at < ?1 AND kind <> 'test'
           ORDER BY created_at LIMIT ?2)`
      )
      const lastTest = selectOne(sql, MAIL, LAST_TEST)
      return {
        add: (mail, at) => addForAll(...valuesOf(mail), at),
        addForOwner: (mail, at) => insert(...valuesOf(mail), at),
        choices: selectAll(sql, CHOICE, "FROM mail_choices WHERE person_id = ? AND account_id = ? ORDER BY kind"),
        choose: (personId, accountId, { isWanted, kind }) => choose(accountId, kind, personId, Number(isWanted)),
        find,
        list: ({ accountId, before, state }, limit) =>
          list({
            conditions: [
              ...given(accountId, (id) => indexed("m.account_id = ?", id)),
              ...(state === null ? [] : [indexed(STATES[state])])
            ],
            cursor: before,
            limit
          }),
        take: Effect.fnUntraced(function*(now, until) {
          const mail = yield* due(now)
          if (mail === undefined || !(yield* lease(mail.id, now, until))) return undefined
          return { ...mail, attempts: mail.attempts + 1, dueAt: until }
        }),
        sent: update(
          sql,
          "UPDATE mails SET sent_at = ?2, due_at = NULL, lease_until = NULL, error = NULL WHERE id = ?1"
        ),
        retryAt: update(
          sql,
          "UPDATE mails SET due_at = ?2, lease_until = NULL, error = ?3 WHERE id = ?1 AND sent_at IS NULL"
        ),
        rewrite: update(sql, "UPDATE mails SET body = ?2 WHERE id = ?1 AND sent_at IS NULL"),
        fail: update(
          sql,
          "UPDATE mails SET due_at = NULL, lease_until = NULL, error = ?2 WHERE id = ?1 AND sent_at IS NULL"
        ),
        withdraw: updateOne(
          sql,
          `UPDATE mails SET due_at = NULL, error = ?3
           WHERE id = ?1 AND due_at IS NOT NULL AND (lease_until IS NULL OR lease_until <= ?2)`
        ),
        again: updateOne(
          sql,
          `UPDATE mails SET due_at = ?2, lease_until = NULL
           WHERE id = ?1 AND sent_at IS NULL AND (lease_until IS NULL OR lease_until <= ?2)`
        ),
        lastTest: (events, onlySent) => lastTest(events, Number(onlySent)),
        waiting: Effect.map(waiting(), (row) => ({ count: row![0], oldest: row![1] ?? undefined })),
        deleteSent
      }
    })
  )
}

const valuesOf = ({ accountId, event, instanceId, kind, subject, text, to }: NewMail) =>
  [event, kind, accountId, instanceId, to, subject, text] as const

/** The values are those of `insert`. One statement, because each purchase has one. */
const ADD_FOR_ALL =
  `INSERT INTO mails (event, kind, account_id, instance_id, recipient, subject, body, created_at, due_at)
  SELECT r.event, CAST(?2 AS TEXT), CAST(?3 AS BIGINT), CAST(?4 AS BIGINT), r.recipient, CAST(?6 AS TEXT),
    CAST(?7 AS TEXT), CAST(?8 AS BIGINT), CAST(?8 AS BIGINT)
  FROM (
    SELECT CAST(?1 AS TEXT) AS event, CAST(?5 AS TEXT) AS recipient WHERE NOT EXISTS (
      SELECT 1 FROM mail_choices c JOIN people p ON p.id = c.person_id
      WHERE c.account_id = CAST(?3 AS BIGINT) AND c.kind = CAST(?2 AS TEXT) AND c.wanted = 0
        AND p.email = lower(CAST(?5 AS TEXT)))
    UNION ALL
    SELECT CAST(?1 AS TEXT) || ':' || p.id, p.email FROM mail_choices c JOIN people p ON p.id = c.person_id
      JOIN memberships m ON m.person_id = p.id AND m.account_id = c.account_id
    WHERE c.account_id = CAST(?3 AS BIGINT) AND c.kind = CAST(?2 AS TEXT) AND c.wanted = 1
      AND p.email <> lower(CAST(?5 AS TEXT))
  ) AS r WHERE 1 = 1 ON CONFLICT (event) DO NOTHING`

/** The condition on the kind is that of the index. */
const LAST_TEST = `FROM mails WHERE kind = 'test' AND substr(event, 1, length(CAST(?1 AS TEXT))) = CAST(?1 AS TEXT)
  AND (CAST(?2 AS BIGINT) = 0 OR sent_at IS NOT NULL) ORDER BY id DESC LIMIT 1`

/** The next attempt of a mail. */
export const NEXT_MAIL = "SELECT min(due_at) FROM mails WHERE due_at IS NOT NULL"

const STATES = {
  waiting: "m.due_at IS NOT NULL",
  sent: "m.sent_at IS NOT NULL",
  failed: "m.due_at IS NULL AND m.sent_at IS NULL"
} as const

const CHOICE = columns<MailChoice>({ kind: "kind", isWanted: flag("wanted") })

const MAIL = columns<StoredMail>({
  id: "id",
  event: "event",
  kind: "kind",
  accountId: "account_id",
  instanceId: "instance_id",
  to: "recipient",
  subject: "subject",
  text: "body",
  createdAt: "created_at",
  dueAt: "due_at",
  attempts: "attempts",
  sentAt: "sent_at",
  error: "error"
})
