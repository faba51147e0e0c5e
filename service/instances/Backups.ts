/** Nightly backups: begun by the calendar, restored by the customer. */
import * as Effect from "effect/Effect"
import type { Backup as BackupRecord } from "#contract/Backups"
import { toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable, PartNotFound } from "../domain/Errors.ts"
import { nextNight, NIGHT_TO_NIGHT_MILLIS } from "../domain/Night.ts"
import { Limits } from "../config/Limits.ts"
import { type Backup, Backups } from "../persistence/Backups.ts"
import { isVirtual } from "../persistence/Catalogue.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { admit, commitAndNotify, enqueue, findOwnVirtual } from "./Admission.ts"

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

const restored = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const backups = yield* Backups
  const backup = yield* backups.find(instanceId, id)
  if (backup === undefined) return yield* new PartNotFound({ part: "Backup", id })
  yield* admit(instance, "backup_restore")
  if (backup.status !== "available") {
    return yield* new NotRestorable({ part: "Backup", id, status: backup.status })
  }
  yield* backups.setStatus(id, "restoring")
  return yield* enqueue(caller, instance, { type: "backup_restore", params: JSON.stringify({ backup_id: id }) })
})

/**
 * Begins to bring a backup back. Fails with `InstanceNotFound`, `NotForCategory`, `PartNotFound`, `InstanceBusy`,
 * `InvalidState`, `NotRestorable` or `StorageUnavailable`.
 */
export const restoreBackup = (caller: Caller, instanceId: number, id: number) =>
  commitAndNotify(restored(caller, instanceId, id))

/** It expires when the backup of the same night a week later replaces it, however late this one is. */
const makeBackup = Effect.fnUntraced(function*({ id: instanceId, os }: StoredInstance, next: number, at: number) {
  const backups = yield* Backups
  const spent = yield* backups.spent(instanceId, at)
  const expiresAt = next - NIGHT_TO_NIGHT_MILLIS + (yield* Limits).BACKUP_RETENTION_MILLIS
  const id = yield* backups.insert({ instanceId, os, at, expiresAt })
  yield* (yield* Tasks).insert({
    instanceId,
    type: "backup_create",
    params: JSON.stringify({ backup_id: id, spent }),
    sealed: null,
    actor: "system",
    apiKeyId: null,
    requestId: null,
    runAt: at,
    leaseUntil: null,
    at
  })
})

/**
 * The night of an instance has come. Nothing when another replica was faster. A busy one is left in peace for a while,
 * one in rescue mode for the night.
 */
export const beginBackup = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const instance = yield* (yield* Instances).find(instanceId)
  const { isDue, schedule } = yield* Backups
  if (instance === undefined || !(yield* isDue(instanceId, at))) return
  if (!isVirtual(instance.category)) return yield* schedule(instanceId, null)
  // Suspended or expired since it was found due: its night stays due, and comes when it is active again.
  if (instance.lifecycle !== "active") return
  if (instance.task !== undefined) return yield* schedule(instanceId, at + (yield* Limits).BACKUP_WAIT_MILLIS)
  const next = nextNight(at, instanceId)
  yield* schedule(instanceId, next)
  if (instance.bootMode === "disk") yield* makeBackup(instance, next, at)
})
