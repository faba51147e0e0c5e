/** The commands for what a host announces to its customers: maintenance windows and news. */
import * as Schema from "effect/Schema"
import { NullableString, NullableTimestamp, text, Timestamp } from "@pulumi-vps/contract/Primitives"
import { Id, Name, pattern, Time, word } from "../Fields.ts"
import { ANNOUNCEMENT_KINDS, ANNOUNCEMENT_STATES } from "../Words.ts"
import { acts, argument, flag, optional, reads, toggle } from "./Define.ts"
import { before, limit } from "./Parameters.ts"

const AnnouncementRecord = Schema.Struct({
  id: Schema.Int,
  kind: Schema.Literals(ANNOUNCEMENT_KINDS),
  state: Schema.Literals(ANNOUNCEMENT_STATES),
  /** Null: it is about all hosts. */
  host: NullableString,
  title: Schema.String,
  text: Schema.String,
  starts_at: Timestamp,
  ends_at: Timestamp,
  /** The operator's address, or the user on the host. */
  author: Schema.String,
  created_at: Timestamp,
  cancelled_at: NullableTimestamp
})

/** With the accounts and instances that the mail is about. */
const Announced = Schema.Struct({ ...AnnouncementRecord.fields, accounts: Schema.Int, instances: Schema.Int })

/** One line, as the subject of a mail. */
const Title = pattern(
  "have one line of 1 to 100 characters",
  /^[\p{Zs}\uFEFF]*[^\s\p{Cc}\p{Zl}\p{Zp}][^\p{Cc}\p{Zl}\p{Zp}]*$/u
).check(Schema.isMaxLength(100))

/** A page of text. */
const TEXT_MAX = 4_000

const START = "The beginning, like 2027-01-31 or 2027-01-31T22:00:00Z"
const END = "The end; it is shown until then"

const announcement = () => argument(Id, "announcement", "The announcement's id")

export const ANNOUNCEMENT_COMMANDS = {
  "announcements.add": acts({
    text: "Announce maintenance or news, of a host or of all: shown in the panel and by vps until the end, and mailed "
      + "now to each account concerned, with its instances",
    short: "Announce maintenance or news, and mail it to the customers concerned",
    examples: [
      "announcements add --host alpha --starts-at 2027-01-31T22:00:00Z --ends-at 2027-01-31T23:00:00Z "
      + "--title \"Network switch\" --text \"The connection is interrupted for some minutes.\""
    ],
    input: () => ({
      kind: flag(word(ANNOUNCEMENT_KINDS), "announcement for news that affect no instance", { initial: "maintenance" }),
      host: optional(Name, "Only this host, and the customers with instances on it (default: all)"),
      title: flag(Title, "One line, which is the subject of the mail"),
      text: flag(text(1, TEXT_MAX), "What happens, and what customers should do"),
      starts_at: flag(Time, START),
      ends_at: flag(Time, END)
    }),
    result: () => Announced
  }),
  "announcements.list": reads({
    text: "List announcements and maintenance windows that are planned or running, newest first",
    short: "List announcements and maintenance windows",
    examples: ["announcements list --all"],
    input: () => ({
      all: toggle("Also those that have ended or were canceled"),
      before: before("announcements"),
      limit: limit()
    }),
    result: () => Schema.Array(AnnouncementRecord),
    columns: ["id", "kind", "state", "host", "starts_at", "ends_at", "title"],
    pages: { from: "before", field: "id" }
  }),
  "announcements.change": acts({
    text: "Change the texts or the times of an announcement, and mail the change to all who were informed",
    short: "Change an announcement, and mail the change",
    examples: ["announcements change 1 --starts-at 2027-02-01T22:00:00Z --ends-at 2027-02-01T23:00:00Z"],
    input: () => ({
      id: announcement(),
      title: optional(Title, "One line, which is the subject of the mail"),
      text: optional(text(1, TEXT_MAX), "What happens, and what customers should do"),
      starts_at: optional(Time, START),
      ends_at: optional(Time, END)
    }),
    result: () => Announced
  }),
  "announcements.cancel": acts({
    text: "Cancel an announcement, and mail that to all who were informed",
    input: () => ({ id: announcement() }),
    result: () => Announced
  })
}
