/** The commands for mails that wait to be sent, and those that were. */
import * as Schema from "effect/Schema"
import { NullableInt, NullableString, NullableTimestamp, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Email, Id, word } from "../Fields.ts"
import { MAIL_STATES, SENT_MAIL_KINDS } from "../Words.ts"
import { acts, argument, optional, reads } from "./Define.ts"
import { before, limit } from "./Parameters.ts"

const MailRecord = Schema.Struct({
  id: Schema.Int,
  created_at: Timestamp,
  kind: Schema.Literals(SENT_MAIL_KINDS),
  account_id: NullableInt,
  instance_id: NullableInt,
  to: Schema.String,
  subject: Schema.String,
  state: Schema.Literals(MAIL_STATES),
  attempts: Schema.Int,
  /** Of the next attempt; null unless it waits. */
  due_at: NullableTimestamp,
  sent_at: NullableTimestamp,
  /** The reason that the last attempt failed; null if none did. */
  error: NullableString
})

export const MAIL_COMMANDS = {
  "mails.list": reads({
    text: "List the mails to customers that wait, were sent, or cannot be sent, newest first",
    short: "List mails to customers",
    examples: ["mails list --state waiting", "mails list --account 1"],
    input: () => ({
      account_id: optional(Id, "Only mails of this account"),
      state: optional(word(MAIL_STATES), "Only waiting, sent, or failed mails"),
      before: before("mails"),
      limit: limit()
    }),
    result: () => Schema.Array(MailRecord),
    columns: ["id", "created_at", "kind", "account_id", "to", "state", "attempts", "due_at", "error"],
    pages: { from: "before", field: "id" }
  }),
  "mails.show": reads({
    text: "Show a mail with its text",
    input: () => ({ id: argument(Id, "mail", "The mail's id") }),
    result: () => Schema.Struct({ ...MailRecord.fields, text: Schema.String })
  }),
  "mails.retry": acts({
    text: "Send a mail now that waits for its next attempt, or whose address was refused",
    short: "Send a waiting or failed mail now",
    input: () => ({ id: argument(Id, "mail", "The mail's id") }),
    result: () => MailRecord
  }),
  "mails.test": acts({
    text: "Send a test mail the way that mails to customers are sent, and wait for its outcome",
    short: "Try out the mail server with a test mail",
    examples: ["mails test you@example.com"],
    fresh: false,
    input: () => ({ to: argument(Email, "to", "The address that gets it") }),
    result: () => MailRecord
  })
}
