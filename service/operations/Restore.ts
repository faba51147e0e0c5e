/** Restores the machine's disk from a snapshot or a backup. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable, PartNotFound } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import { Backups } from "../persistence/Backups.ts"
import type { ImageRecords } from "../persistence/images/Image.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { backupImage, type Operation as DriverOperation } from "../provisioning/Driver.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { recordSystem } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"
import { imageOf as snapshotImage, SnapshotParams } from "./SnapshotDelete.ts"

interface Kind<T, P> {
  readonly type: T
  readonly part: NotRestorable["part"]
  readonly records: Effect.Effect<ImageRecords, never, Snapshots | Backups>
  readonly params: Schema.Codec<P, P>
  readonly idOf: (params: P) => number
  readonly withId: (id: number) => P
  readonly step: (params: P) => DriverOperation
}

const restoring = <const T extends "snapshot_restore" | "backup_restore", P>(kind: Kind<T, P>) => {
  const { idOf, part, records, step, type, withId } = kind
  const operation = define<T, P>({
    type,
    params: kind.params,
    retry: "default",
    execute: ({ params }) => Effect.succeed([step(params)]),
    complete: Effect.fnUntraced(function*({ instance, params }, { machine }) {
      const images = yield* records
      const image = yield* images.find(instance.id, idOf(params))
      yield* images.setStatus(idOf(params), "available")
      yield* recordSystem(instance, image?.os ?? instance.os, machine)
    }),
    fail: ({ params }) => Effect.flatMap(records, ({ setStatus }) => setStatus(idOf(params), "available"))
  })
  /**
   * Requests a restore. Fails with `InstanceNotFound`, `NotForCategory`, `PartNotFound`, `InstanceBusy`,
   * `InvalidState`, `NotRestorable` or `StorageUnavailable`.
   */
  const restore = Effect.fnUntraced(function*(caller: Caller, instanceId: number, id: number) {
    const instance = yield* findOwnVirtual(caller, instanceId)
    const images = yield* records
    const image = yield* images.find(instanceId, id)
    if (image === undefined) return yield* new PartNotFound({ part, id })
    yield* admit(instance, type)
    if (image.status !== "available") return yield* new NotRestorable({ part, id, status: image.status })
    yield* images.setStatus(id, "restoring")
    return yield* enqueue(caller, instance, operation.task(withId(id)))
  }, commitAndNotify)
  return { operation, restore }
}

const snapshot = restoring({
  type: "snapshot_restore",
  part: "Snapshot",
  records: Snapshots,
  params: SnapshotParams,
  idOf: (params) => params.snapshot_id,
  withId: (id) => ({ snapshot_id: id }),
  step: (params) => ({ type: "snapshot_restore", image: snapshotImage(params) })
})

const backup = restoring({
  type: "backup_restore",
  part: "Backup",
  records: Backups,
  params: Schema.Struct({ backup_id: Schema.Int }),
  idOf: (params) => params.backup_id,
  withId: (id) => ({ backup_id: id }),
  step: (params) => ({ type: "backup_restore", image: backupImage(params.backup_id) })
})

export const SnapshotRestore = snapshot.operation
export const BackupRestore = backup.operation
export const restoreSnapshot = snapshot.restore
export const restoreBackup = backup.restore
