/** Restores the machine's disk from a backup. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable, PartNotFound } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { Backups } from "../persistence/Backups.ts"
import { imageOf } from "./BackupCreate.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { recordSystem } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"

export const BackupRestore = define({
  type: "backup_restore",
  params: Schema.Struct({ backup_id: Schema.Int }),
  retry: "default",
  execute: ({ params }) => Effect.succeed([{ type: "backup_restore", image: imageOf(params.backup_id) }]),
  complete: Effect.fnUntraced(function*({ instance, params: { backup_id: id } }, { machine }) {
    const backups = yield* Backups
    const backup = yield* backups.find(instance.id, id)
    yield* backups.setStatus(id, "available")
    yield* recordSystem(instance, backup?.os ?? instance.os, machine)
  }),
  fail: ({ params }) => Effect.flatMap(Backups, ({ setStatus }) => setStatus(params.backup_id, "available"))
})

/**
 * Requests that a backup is restored. Fails with `InstanceNotFound`, `NotForCategory`, `PartNotFound`, `InstanceBusy`,
 * `InvalidState`, `NotRestorable` or `StorageUnavailable`.
 */
export const restoreBackup = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const backups = yield* Backups
  const backup = yield* backups.find(instanceId, id)
  if (backup === undefined) return yield* new PartNotFound({ part: "Backup", id })
  yield* admit(instance, "backup_restore")
  const { status } = backup
  if (status !== "available") return yield* new NotRestorable({ part: "Backup", id, status })
  yield* backups.setStatus(id, "restoring")
  return yield* enqueue(caller, instance, BackupRestore.task({ backup_id: id }))
}, commitAndNotify)
