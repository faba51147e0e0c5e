/** The commands for announcements: each informs the accounts concerned in its own transaction. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { AnnouncementState } from "../../contract/Words.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { mailAnnouncement } from "../../mail/AnnouncementMails.ts"
import type { Announced } from "../../mail/MailTexts.ts"
import { type Announcement, Announcements, type NewAnnouncement } from "../../persistence/Announcements.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { millisOf, notFound, reject } from "../Input.ts"
import { addFacts, CurrentActor, type UseCases } from "../UseCases.ts"
import { hostNamed } from "./Hosts.ts"

const stateOf = ({ cancelledAt, endsAt, startsAt }: Announcement, now: number): AnnouncementState => {
  if (cancelledAt !== null) return "cancelled"
  return endsAt <= now ? "ended" : startsAt <= now ? "running" : "planned"
}

const toRecord = (one: Announcement, now: number) => ({
  id: one.id,
  kind: one.kind,
  state: stateOf(one, now),
  host: one.host ?? null,
  title: one.title,
  text: one.text,
  starts_at: toTimestamp(one.startsAt),
  ends_at: toTimestamp(one.endsAt),
  author: one.author,
  created_at: toTimestamp(one.createdAt),
  cancelled_at: toOptionalTimestamp(one.cancelledAt)
})

const assertTimes = Effect.fnUntraced(function*(
  { endsAt, startsAt }: Pick<NewAnnouncement, "endsAt" | "startsAt">,
  now: number
) {
  if (endsAt <= startsAt) return yield* reject("ends_at: Must be later than starts_at.")
  if (endsAt <= now) return yield* reject("ends_at: Must be in the future: it is shown until then.")
})

/** Writes the mails about an announcement; part of the transaction of what they report. */
const inform = Effect.fnUntraced(function*(id: number, news: Announced["news"], now: number) {
  const one = (yield* (yield* Announcements).find(id))!
  const numbers = yield* mailAnnouncement(one, news, now)
  yield* addFacts({ announcement_id: id, ...numbers })
  return { ...toRecord(one, now), ...numbers }
})

/** Runs a change, with its mails, and has them sent. */
const informing = Effect.fnUntraced(function*<A, E, R>(change: Effect.Effect<A, E, R>) {
  const result = yield* (yield* Transaction).run(change)
  yield* (yield* WorkerNotifier).notify
  return result
})

const addAnnouncement = Effect.fnUntraced(function*(input: InputOf<"announcements.add">) {
  const now = yield* Clock.currentTimeMillis
  const { name: author } = yield* CurrentActor
  const { host, kind, text, title } = input
  const times = { startsAt: millisOf(input.starts_at)!, endsAt: millisOf(input.ends_at)! }
  yield* assertTimes(times, now)
  const announcements = yield* Announcements
  return yield* informing(Effect.gen(function*() {
    const hostId = host === undefined ? null : (yield* hostNamed(host)).id
    const id = yield* announcements.add({ kind, hostId, title: title.trim(), text, ...times, author, createdAt: now })
    return yield* inform(id, "planned", now)
  }))
})

const listAnnouncements = Effect.fnUntraced(function*({ all, before, limit }: InputOf<"announcements.list">) {
  const now = yield* Clock.currentTimeMillis
  const found = yield* (yield* Announcements).list({ openAt: all ? null : now, before: before ?? null }, limit)
  return found.map((one) => toRecord(one, now))
})

/** One that can still be changed. */
const findOpen = Effect.fnUntraced(function*(id: number, now: number) {
  const one = yield* (yield* Announcements).find(id)
  if (one === undefined) return yield* notFound("announcement", id)
  const { cancelledAt, endsAt } = one
  if (cancelledAt !== null) return yield* reject(`Announcement ${id} was canceled at ${toTimestamp(cancelledAt)}.`)
  if (endsAt <= now) return yield* reject(`Announcement ${id} ended at ${toTimestamp(endsAt)}. Add another one.`)
  return one
})

const changeAnnouncement = Effect.fnUntraced(function*({ id, ...input }: InputOf<"announcements.change">) {
  const now = yield* Clock.currentTimeMillis
  const announcements = yield* Announcements
  return yield* informing(Effect.gen(function*() {
    const before = yield* findOpen(id, now)
    const after = {
      id,
      title: input.title?.trim() ?? before.title,
      text: input.text ?? before.text,
      startsAt: millisOf(input.starts_at) ?? before.startsAt,
      endsAt: millisOf(input.ends_at) ?? before.endsAt
    }
    yield* assertTimes(after, now)
    const isSame = after.title === before.title && after.text === before.text && after.startsAt === before.startsAt
      && after.endsAt === before.endsAt
    if (isSame) return yield* reject("Nothing would change, so no mail is sent. Give another text or another time.")
    yield* announcements.change(after)
    return yield* inform(id, "changed", now)
  }))
})

const cancelAnnouncement = Effect.fnUntraced(function*({ id }: InputOf<"announcements.cancel">) {
  const now = yield* Clock.currentTimeMillis
  const announcements = yield* Announcements
  return yield* informing(Effect.gen(function*() {
    yield* findOpen(id, now)
    yield* announcements.cancel(id, now)
    return yield* inform(id, "cancelled", now)
  }))
})

export const ANNOUNCEMENTS_USE_CASES = {
  "announcements.add": addAnnouncement,
  "announcements.list": listAnnouncements,
  "announcements.change": changeAnnouncement,
  "announcements.cancel": cancelAnnouncement
} satisfies UseCases
