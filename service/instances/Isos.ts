/** The ISO library and the virtual drive. */
import * as Effect from "effect/Effect"
import type { Iso as IsoRecord } from "#contract/Isos"
import type { Caller } from "../domain/Caller.ts"
import { PartNotFound } from "../domain/Errors.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { Isos } from "../persistence/Isos.ts"
import { admit, commitAndNotify, enqueue, findOwn, nothingToDo } from "./Admission.ts"

/** By id, with what is in this instance's drive. Fails with `InstanceNotFound`. */
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

type Action = "iso_mount" | "iso_unmount"

const changed = Effect.fnUntraced(function*(
  caller: Caller,
  instance: StoredInstance,
  type: Action,
  isoId: number | null
) {
  yield* admit(instance, type)
  if (instance.isoId === isoId) return nothingToDo(instance, type)
  const params = JSON.stringify({ iso_id: isoId, previous_id: instance.isoId })
  return yield* enqueue(caller, instance, { type, params })
})

/** Runs in one transaction. */
const mounted = Effect.fnUntraced(function*(caller: Caller, instanceId: number, isoId: number) {
  const instance = yield* findOwn(caller, instanceId)
  if ((yield* (yield* Isos).find(isoId)) === undefined) return yield* new PartNotFound({ part: "ISO", id: isoId })
  return yield* changed(caller, instance, "iso_mount", isoId)
})

/**
 * Begins to put an ISO into the drive, in place of what is there; nothing has to be done when it is there already.
 * Fails with `InstanceNotFound`, `PartNotFound`, `InstanceBusy`, `InvalidState` or `StorageUnavailable`.
 */
export const mountIso = (caller: Caller, instanceId: number, isoId: number) =>
  commitAndNotify(mounted(caller, instanceId, isoId))

/** Begins to empty the drive; nothing has to be done when it is empty. Fails like `mountIso`. */
export const unmountIso = (caller: Caller, instanceId: number) =>
  commitAndNotify(
    Effect.flatMap(findOwn(caller, instanceId), (instance) => changed(caller, instance, "iso_unmount", null))
  )
