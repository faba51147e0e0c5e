/** The ISO library. */
import * as Effect from "effect/Effect"
import type { Iso as IsoRecord } from "#contract/Isos"
import type { Caller } from "../domain/Caller.ts"
import { Isos } from "../persistence/Isos.ts"
import { findOwn } from "./Admission.ts"

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
