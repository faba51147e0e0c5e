/** Restores the machine's disk from an image: of a snapshot or a backup. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Caller } from "../domain/Caller.ts"
import { NotRestorable, PartNotFound } from "../domain/Errors.ts"
import { admit, findOwnVirtual } from "../instances/Admission.ts"
import type { Backups, ImageRecords, Snapshots } from "../persistence/Snapshots.ts"
import type { Operation as DriverOperation } from "../provisioning/Driver.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { recordSystem } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"

interface Kind<T, P> {
  readonly type: T
  readonly part: NotRestorable["part"]
  readonly records: Effect.Effect<ImageRecords, never, Snapshots | Backups>
  readonly params: Schema.Codec<P, P>
  readonly idOf: (params: P) => number
  readonly withId: (id: number) => P
  readonly step: (params: P) => DriverOperation
}

/** The operation of a kind, and its request. */
export const restoring = <const T extends "snapshot_restore" | "backup_restore", P>(kind: Kind<T, P>) => {
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
