/** Announcements of the host to its customers: maintenance windows and news, and the accounts that were informed. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AnnouncementKind } from "../contract/Words.ts"
import { among, columns, optional, selectAll, selectOne, update } from "./Columns.ts"
import { given, makeList, scanning } from "./Listing.ts"
import { Sql } from "./Sql.ts"

export interface NewAnnouncement {
  readonly kind: AnnouncementKind
  /** Null: all hosts. */
  readonly hostId: number | null
  readonly title: string
  readonly text: string
  /** Epoch milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** The operator's address, or the user on the host. */
  readonly author: string
  readonly createdAt: number
}

export interface Announcement extends NewAnnouncement {
  readonly id: number
  /** Name of the host; undefined if it is about all. */
  readonly host: string | undefined
  /** 1 at first, and one more with each change. */
  readonly version: number
  readonly cancelledAt: number | null
}

/** An instance that an announcement concerns, with the owner of its account. */
export interface Concerned {
  readonly accountId: number
  readonly email: string
  readonly instanceId: number
  readonly hostname: string | null
}

export interface AnnouncementFilter {
  /** Only those that are neither cancelled nor ended at this moment; null selects all. */
  readonly openAt: number | null
  /** Only those before this id. */
  readonly before: number | null
}

/** The owner of an open account. */
export type Owner = Pick<Concerned, "accountId" | "email">

export class Announcements extends Context.Service<Announcements, {
  /** Returns the id. */
  readonly add: (announcement: NewAnnouncement) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Announcement | undefined>
  /** Newest first. */
  readonly list: (filter: AnnouncementFilter, limit: number) => Effect.Effect<ReadonlyArray<Announcement>>
  /** Stores the texts and the times, as another version. */
  readonly change: (
    announcement: Pick<Announcement, "endsAt" | "id" | "startsAt" | "text" | "title">
  ) => Effect.Effect<void>
  /** Cancels it, as another version. */
  readonly cancel: (id: number, at: number) => Effect.Effect<void>
  /** The instances on a host, or all of them, of open accounts; by account and instance. */
  readonly concerned: (hostId: number | null) => Effect.Effect<ReadonlyArray<Concerned>>
  /** Of all open accounts. */
  readonly owners: Effect.Effect<ReadonlyArray<Owner>>
  /** Remembers that an account was informed. */
  readonly inform: (id: number, accountId: number) => Effect.Effect<void>
  /** The open accounts that were informed. */
  readonly informed: (id: number) => Effect.Effect<ReadonlyArray<Owner>>
  /** Those of an account that are open at a moment, by their beginning. */
  readonly ofAccount: (accountId: number, now: number) => Effect.Effect<ReadonlyArray<Announcement>>
  /** The instances of an account on a host. */
  readonly instancesOn: (hostId: number, accountId: number) => Effect.Effect<ReadonlyArray<Concerned>>
}>()("@pulumi-vps/service/Announcements") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO announcements (kind, host_id, title, text, starts_at, ends_at, author, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      )
      const list = makeList(sql, {
        columns: ANNOUNCEMENT,
        table: "announcements",
        alias: "n",
        id: "id",
        joins: HOST,
        newestFirst: true
      })
      const change = update(
        sql,
        `UPDATE announcements SET title = ?2, text = ?3, starts_at = ?4, ends_at = ?5, version = version + 1
         WHERE id = ?1`
      )
      const onHost = selectAll(sql, CONCERNED, `${ON_HOST} ORDER BY i.account_id, i.id`)
      const onAll = selectAll(sql, CONCERNED, ON_ALL)
      return {
        add: ({ author, createdAt, endsAt, hostId, kind, startsAt, text, title }) =>
          insert(kind, hostId, title, text, startsAt, endsAt, author, createdAt),
        find: selectOne(sql, ANNOUNCEMENT, `FROM announcements n ${HOST} WHERE n.id = ?`),
        list: ({ before, openAt }, limit) =>
          list({
            conditions: given(openAt, (now) => scanning("n.cancelled_at IS NULL AND n.ends_at > ?", now)),
            cursor: before,
            limit
          }),
        change: ({ endsAt, id, startsAt, text, title }) => change(id, title, text, startsAt, endsAt),
        cancel: update(sql, "UPDATE announcements SET cancelled_at = ?2, version = version + 1 WHERE id = ?1"),
        concerned: (hostId) => hostId === null ? onAll() : onHost(hostId),
        owners: selectAll(sql, OWNER, "FROM accounts a WHERE a.closed_at IS NULL ORDER BY a.id")(),
        inform: update(
          sql,
          "INSERT INTO announcement_accounts (announcement_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
        ),
        informed: selectAll(sql, OWNER, INFORMED),
        ofAccount: selectAll(sql, ANNOUNCEMENT, OF_ACCOUNT),
        instancesOn: selectAll(sql, CONCERNED, `${ON_HOST} AND r.account_id = ? ORDER BY i.id`)
      }
    })
  )
}

const HOST = "LEFT JOIN hosts h ON h.id = n.host_id"

const ANNOUNCEMENT = columns<Announcement>({
  id: "n.id",
  kind: "n.kind",
  hostId: "n.host_id",
  host: optional("h.name"),
  title: "n.title",
  text: "n.text",
  startsAt: "n.starts_at",
  endsAt: "n.ends_at",
  author: "n.author",
  createdAt: "n.created_at",
  version: "n.version",
  cancelledAt: "n.cancelled_at"
})

const CONCERNED = columns<Concerned>({
  accountId: "i.account_id",
  email: "a.email",
  instanceId: "i.id",
  hostname: "i.hostname"
})

const OWNER = columns<Owner>({ accountId: "a.id", email: "a.email" })

/** Instances that have a machine, or get one. */
const EXISTING = among(["pending", "active", "suspended", "expired"])

const ON_HOST = `FROM reservations r JOIN instances i ON i.id = r.instance_id JOIN accounts a ON a.id = i.account_id
  WHERE r.host_id = ? AND i.lifecycle ${EXISTING} AND a.closed_at IS NULL`

const ON_ALL = `FROM instances i JOIN accounts a ON a.id = i.account_id
  WHERE i.lifecycle ${EXISTING} AND a.closed_at IS NULL ORDER BY i.account_id, i.id`

const INFORMED = `FROM announcement_accounts m JOIN accounts a ON a.id = m.account_id
  WHERE m.announcement_id = ? AND a.closed_at IS NULL ORDER BY a.id`

/** The first condition is that of the index of open ones. News for all concern those without an instance, too. */
const OF_ACCOUNT = `FROM announcements n ${HOST} WHERE n.cancelled_at IS NULL AND n.ends_at > ?2 AND (
    n.host_id IS NULL AND (n.kind = 'announcement' OR EXISTS (
      SELECT 1 FROM instances i WHERE i.account_id = ?1 AND i.lifecycle ${EXISTING}))
    OR EXISTS (SELECT 1 FROM reservations r JOIN instances i ON i.id = r.instance_id
      WHERE r.account_id = ?1 AND r.host_id = n.host_id AND i.lifecycle ${EXISTING}))
  ORDER BY n.starts_at, n.id`
