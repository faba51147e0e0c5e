/** Operators' private notes on accounts and instances. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectOne, updateOne } from "./Columns.ts"
import { given, indexed, makeList } from "./Listing.ts"
import { Sql } from "./Sql.ts"

export interface Note {
  readonly id: number
  readonly accountId: number
  /** Null if it is about the account. */
  readonly instanceId: number | null
  readonly text: string
  /** The operator's address, or the user on the host. */
  readonly author: string
  readonly createdAt: number
}

/** Null selects all. */
export interface NoteFilter {
  /** With those on its instances. */
  readonly accountId: number | null
  readonly instanceId: number | null
  /** Only those before this id. */
  readonly before: number | null
}

export class Notes extends Context.Service<Notes, {
  /** Returns the id. */
  readonly add: (note: Omit<Note, "id">) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Note | undefined>
  /** Newest first. */
  readonly list: (filter: NoteFilter, limit: number) => Effect.Effect<ReadonlyArray<Note>>
  /** False if it does not exist. */
  readonly delete: (id: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/Notes") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        "INSERT INTO notes (account_id, instance_id, text, author, created_at) VALUES (?, ?, ?, ?, ?)"
      )
      const list = makeList(sql, { columns: NOTE, table: "notes", alias: "n", id: "id", newestFirst: true })
      return {
        add: ({ accountId, author, createdAt, instanceId, text }) =>
          insert(accountId, instanceId, text, author, createdAt),
        find: selectOne(sql, NOTE, "FROM notes WHERE id = ?"),
        list: ({ accountId, before, instanceId }, limit) =>
          list({
            conditions: [
              ...given(accountId, (id) => indexed("n.account_id = ?", id)),
              ...given(instanceId, (id) => indexed("n.instance_id = ?", id))
            ],
            cursor: before,
            limit
          }),
        delete: updateOne(sql, "DELETE FROM notes WHERE id = ?")
      }
    })
  )
}

const NOTE = columns<Note>({
  id: "id",
  accountId: "account_id",
  instanceId: "instance_id",
  text: "text",
  author: "author",
  createdAt: "created_at"
})
