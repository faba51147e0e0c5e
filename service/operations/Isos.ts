/** The virtual drive and its ISOs: listed, mounted, unmounted. In doubt, the drive is set back to our record. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Iso as IsoRecord } from "@pulumi-vps/contract/Isos"
import type { Caller } from "../domain/Caller.ts"
import { PartNotFound } from "../domain/Errors.ts"
import { admit, findOwn } from "../instances/Admission.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { Isos } from "../persistence/Isos.ts"
import { type Operation as DriverOperation, Rejected } from "../provisioning/Driver.ts"
import { commitAndNotify, enqueue, nothingToDo } from "./Enqueue.ts"
import { define, type Operation } from "./Operation.ts"

/** By id, with the one mounted in this instance's drive marked. Fails with `InstanceNotFound`. */
export const listIsos = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { isoId } = yield* findOwn(caller, instanceId)
  const library = yield* (yield* Isos).list
  return library.map(({ fileName, id, name, sizeBytes }): IsoRecord => ({
    id,
    name,
    file_name: fileName,
    size_bytes: sizeBytes,
    mounted: id === isoId
  }))
})

const Params = Schema.Struct({
  /** Content of the drive afterwards; null is nothing. */
  iso_id: Schema.NullOr(Schema.Int),
  /** Content of the drive before. */
  previous_id: Schema.NullOr(Schema.Int)
})
type Params = typeof Params.Type

type Action = "iso_mount" | "iso_unmount"

const driverOperation = Effect.fnUntraced(function*(isoId: number | null) {
  if (isoId === null) return { type: "iso_unmount" } satisfies DriverOperation
  const iso = yield* (yield* Isos).find(isoId)
  if (iso === undefined) return yield* new Rejected({ reason: "the ISO does not exist" })
  return { type: "iso_mount", iso: iso.fileName } satisfies DriverOperation
})

const driveOperation = <const T extends Action>(type: T, left: string): Operation<T, Params> =>
  define<T, Params>({
    type,
    params: Params,
    retry: "default",
    execute: ({ params }) => Effect.map(driverOperation(params.iso_id), (operation) => [operation]),
    complete: ({ instance, params }) => Effect.flatMap(Instances, ({ setIso }) => setIso(instance.id, params.iso_id)),
    compensation: ({ iso_id: isoId, previous_id: previousId }) => ({
      ...(previousId === null ? IsoUnmount : IsoMount).task({ iso_id: previousId, previous_id: isoId }),
      after: "doubt"
    }),
    recovery: { unreconciled: { left, supersededBy: ["iso_mount", "iso_unmount"] } }
  })

export const IsoMount = driveOperation("iso_mount", "the drive may hold another ISO than it should")
export const IsoUnmount = driveOperation("iso_unmount", "the drive may hold an ISO")

const change = Effect.fnUntraced(function*(
  caller: Caller,
  instance: StoredInstance,
  operation: typeof IsoMount | typeof IsoUnmount,
  isoId: number | null
) {
  yield* admit(instance, operation.type)
  if (instance.isoId === isoId) return nothingToDo(instance, operation.type)
  return yield* enqueue(caller, instance, operation.task({ iso_id: isoId, previous_id: instance.isoId }))
})

/**
 * Requests that an ISO replaces the content of the drive; nothing has to be done if it is mounted already.
 * Fails with `InstanceNotFound`, `PartNotFound`, `InstanceBusy`, `InvalidState` or `StorageUnavailable`.
 */
export const mountIso = Effect.fnUntraced(function*(caller: Caller, instanceId: number, isoId: number) {
  const instance = yield* findOwn(caller, instanceId)
  if ((yield* (yield* Isos).find(isoId)) === undefined) return yield* new PartNotFound({ part: "ISO", id: isoId })
  return yield* change(caller, instance, IsoMount, isoId)
}, commitAndNotify)

/** Requests an empty drive; nothing has to be done if it is empty. Fails like `mountIso`. */
export const unmountIso = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  return yield* change(caller, yield* findOwn(caller, instanceId), IsoUnmount, null)
}, commitAndNotify)
