/** The commands for operators' private notes on accounts and instances. */
import * as Schema from "effect/Schema"
import { NullableInt, text, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Id } from "../Fields.ts"
import { acts, argument, either, flag, optional, reads } from "./Define.ts"
import { before, limit } from "./Parameters.ts"

const NoteRecord = Schema.Struct({
  id: Schema.Int,
  account_id: Schema.Int,
  /** Null if it is about the account. */
  instance_id: NullableInt,
  text: Schema.String,
  /** The operator's address, or the user on the host. */
  author: Schema.String,
  created_at: Timestamp
})

/** A page of text. */
const NOTE_MAX = 4_000

export const NOTE_COMMANDS = {
  "notes.add": acts({
    text: "Add a private note to an account or an instance. Only operators see it",
    short: "Add a private note to an account or an instance",
    examples: [
      "notes add --account 1 --text \"pays by invoice\"",
      "notes add --instance 7 --text \"migrates on Monday\""
    ],
    fresh: false,
    input: () => ({
      account_id: optional(Id, "The account; not needed with an instance"),
      instance_id: optional(Id, "The instance"),
      text: flag(text(1, NOTE_MAX), "The note")
    }),
    result: () => NoteRecord
  }),
  "notes.list": reads({
    text: "List the notes on accounts and instances, newest first",
    input: () => ({
      account_id: Schema.optionalKey(either(Id, "Only notes on this account and on its instances")),
      instance_id: optional(Id, "Only notes on this instance"),
      before: before("notes"),
      limit: limit()
    }),
    result: () => Schema.Array(NoteRecord),
    columns: ["id", "created_at", "author", "account_id", "instance_id", "text"],
    pages: { from: "before", field: "id" }
  }),
  "notes.delete": acts({
    text: "Delete a note",
    fresh: false,
    input: () => ({ id: argument(Id, "note", "The note's id") }),
    result: () => Schema.Struct({ id: Schema.Int, deleted: Schema.Literal(true) })
  })
}
