/**
 * The backups of an instance: listed, created every night, restored. A new one deletes those that it replaces; one that
 * cannot be deleted waits a night.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Backup as BackupRecord } from "@pulumi-vps/contract/Backups"
import { Limits } from "../config/Limits.ts"
import { nextNight, NIGHT_TO_NIGHT_MILLIS } from "../domain/BackupNight.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import type { Caller } from "../domain/Caller.ts"
import { findOwnVirtual } from "../instances/Admission.ts"
import { type Backup, Backups } from "../persistence/Snapshots.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import { backupImage } from "../provisioning/Driver.ts"
import { enqueueAs } from "./Enqueue.ts"
import { define } from "./Operation.ts"
import { restoring } from "./Restore.ts"
import type { Step } from "./Saga.ts"

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

export const BackupCreate = define({
  type: "backup_create",
  params: Schema.Struct({
    backup_id: Schema.Int,
    /** The backups that this one replaces. */
    spent: Schema.optionalKey(Schema.Array(Schema.Int))
  }),
  retry: "default",
  execute: ({ params: { backup_id: id, spent = [] } }) =>
    Effect.succeed([
      { operation: { type: "backup_create", image: backupImage(id) } },
      ...spent.map((each): Step => ({
        operation: { type: "backup_delete", image: backupImage(each) },
        optional: () => true
      }))
    ]),
  complete: Effect.fnUntraced(function*({ params: { backup_id: id, spent = [] } }, { done: [created, ...deleted] }) {
    const backups = yield* Backups
    yield* backups.setAvailable(id, created?.imageBytes ?? null)
    yield* Effect.forEach(spent.filter((_, index) => deleted[index] !== undefined), backups.remove)
  }),
  fail: ({ params }) => Effect.flatMap(Backups, ({ setStatus }) => setStatus(params.backup_id, "failed"))
})

/** It expires when the backup of the same night a week later replaces it, however late this one is. */
const queueBackup = Effect.fnUntraced(function*({ id: instanceId, os }: StoredInstance, next: number, at: number) {
  const backups = yield* Backups
  const spent = yield* backups.deletable(instanceId, at)
  const expiresAt = next - NIGHT_TO_NIGHT_MILLIS + (yield* Limits).BACKUP_RETENTION_MILLIS
  const id = yield* backups.insert({ instanceId, os, at, expiresAt })
  yield* enqueueAs("system", instanceId, BackupCreate.task({ backup_id: id, spent }), at)
})

/**
 * Starts an instance's backup when its time of the night has come, unless another replica was faster. A busy instance
 * is retried after a while, one in rescue mode the next night.
 */
export const startBackup = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const instance = yield* (yield* Instances).find(instanceId)
  const { isDue, schedule } = yield* Backups
  if (instance === undefined || !(yield* isDue(instanceId, at))) return
  if (!isVirtual(instance.category)) return yield* schedule(instanceId, null)
  // Suspended or expired since it was found due: it stays due, and is backed up when it is active again.
  if (instance.lifecycle !== "active") return
  if (instance.task !== undefined) return yield* schedule(instanceId, at + (yield* Limits).BACKUP_WAIT_MILLIS)
  const next = nextNight(at, instanceId)
  yield* schedule(instanceId, next)
  if (instance.bootMode === "disk") yield* queueBackup(instance, next, at)
})

const restoration = restoring({
  type: "backup_restore",
  part: "Backup",
  records: Backups,
  params: Schema.Struct({ backup_id: Schema.Int }),
  idOf: (params) => params.backup_id,
  withId: (id) => ({ backup_id: id }),
  step: (params) => ({ type: "backup_restore", image: backupImage(params.backup_id) })
})

export const BackupRestore = restoration.operation
export const restoreBackup = restoration.restore
