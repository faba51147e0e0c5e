/** Work that was scheduled while the time was ahead, and would wait until that time. */
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { NIGHT_TO_NIGHT_MILLIS } from "../domain/BackupNight.ts"
import { Backups } from "../persistence/Snapshots.ts"
import { Tasks } from "../persistence/Tasks.ts"

/** Lets it wait as long as from a time on. Part of a transaction. */
export const bringForward = Effect.fnUntraced(function*(at: number) {
  const { LEASE_MILLIS, RETRY_CAP_MILLIS } = yield* Limits
  const tasks = yield* Tasks
  yield* tasks.bringForward(at, at + RETRY_CAP_MILLIS)
  yield* tasks.shortenLeases(at + LEASE_MILLIS)
  yield* (yield* Backups).bringForward(at, at + NIGHT_TO_NIGHT_MILLIS)
})
