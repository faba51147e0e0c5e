/** The mails about an announcement: one to each account concerned, with its instances. */
import * as Effect from "effect/Effect"
import { type Announcement, Announcements, type Concerned, type Owner } from "../persistence/Announcements.ts"
import type { Announced } from "./MailTexts.ts"
import { post } from "./Outbox.ts"

/** The accounts that get it, each once: those concerned now, those informed before, and all for news of all hosts. */
const recipientsOf = Effect.fnUntraced(function*(
  { hostId, id, kind }: Announcement,
  concerned: ReadonlyArray<Concerned>
) {
  const { informed, owners } = yield* Announcements
  const others = hostId === null && kind === "announcement" ? yield* owners : yield* informed(id)
  return new Map([...others, ...concerned].map(({ accountId, email }): [number, Owner["email"]] => [accountId, email]))
})

/** Part of the transaction of what it reports. Returns the numbers of accounts and instances. */
export const mailAnnouncement = Effect.fnUntraced(function*(
  announcement: Announcement,
  news: Announced["news"],
  at: number
) {
  const { endsAt, hostId, id, kind, startsAt, text, title, version } = announcement
  const { concerned, inform } = yield* Announcements
  const all = yield* concerned(hostId)
  const byAccount = Map.groupBy(all, ({ accountId }) => accountId)
  const recipients = yield* recipientsOf(announcement, all)
  for (const [accountId, email] of recipients) {
    const facts = { news, kind, title, text, startsAt, endsAt, instances: byAccount.get(accountId) ?? [] }
    yield* inform(id, accountId)
    yield* post("announcement", { accountId, instanceId: null, email }, `${id}:${version}:${accountId}`, facts, at)
  }
  return { accounts: recipients.size, instances: all.length }
})
