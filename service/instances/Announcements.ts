/** The announcements that concern an account, with its instances, until they have ended. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AnnouncementKind } from "../contract/Words.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { Announcements, type Concerned } from "../persistence/Announcements.ts"

interface AccountAnnouncement {
  readonly id: number
  readonly version: number
  readonly kind: AnnouncementKind
  readonly title: string
  readonly text: string
  readonly startsAt: number
  readonly endsAt: number
  /** Null: all of the account. */
  readonly instances: ReadonlyArray<Pick<Concerned, "hostname" | "instanceId">> | null
}

/** Those that are planned or running. */
export const announcementsOf = Effect.fnUntraced(function*({ accountId }: { readonly accountId: number }) {
  const { instancesOn, ofAccount } = yield* Announcements
  const open = yield* ofAccount(accountId, yield* Clock.currentTimeMillis)
  return yield* Effect.forEach(open, ({ hostId, ...one }) =>
    Effect.map(
      hostId === null ? Effect.succeed(null) : instancesOn(hostId, accountId),
      (instances): AccountAnnouncement => ({ ...one, instances })
    ))
})

/** As the API and the panel have them. */
export const announcementFields = (
  { endsAt, id, kind, startsAt, text, title }: Omit<AccountAnnouncement, "instances" | "version">
) => ({ id, kind, title, text, starts_at: toTimestamp(startsAt), ends_at: toTimestamp(endsAt) })

/** For the API. */
export const announcementRecords = Effect.fnUntraced(function*(account: { readonly accountId: number }) {
  return (yield* announcementsOf(account)).map(({ instances, ...one }) => ({
    ...announcementFields(one),
    instances: instances === null ? null : instances.map(({ instanceId }) => instanceId)
  }))
})
