/** The backups of an instance. */
import * as Effect from "effect/Effect"
import type { Backup as BackupRecord } from "#contract/Backups"
import { toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { type Backup, Backups } from "../persistence/Backups.ts"
import { findOwnVirtual } from "./Admission.ts"

const toRecord = (backup: Backup): BackupRecord => ({
  id: backup.id,
  instance_id: backup.instanceId,
  kind: "scheduled",
  status: backup.status,
  size_bytes: backup.sizeBytes,
  created_at: toTimestamp(backup.createdAt),
  expires_at: toTimestamp(backup.expiresAt)
})

/** By id. Fails with `InstanceNotFound` or `NotForCategory`. */
export const listBackups = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { id } = yield* findOwnVirtual(caller, instanceId)
  return (yield* (yield* Backups).list(id)).map(toRecord)
})
