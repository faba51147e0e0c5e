/** Defines the machine of a host that failed on another one, which has its disk on the same storage. */
import * as Effect from "effect/Effect"
import { Rejected } from "../../Driver.ts"
import { DISK, type MachineRecord, newRecord, seedVolume, volumePrefix } from "./MachineRecord.ts"
import { findMachine, save } from "./Machines.ts"
import type { MachinePlace } from "./Places.ts"
import type { Session } from "./Session.ts"
import { findPool, volumesOf } from "./Volumes.ts"

const IMAGE = /\.([^.]+)\.qcow2$/

const adopt = Effect.fnUntraced(function*(session: Session, place: MachinePlace, tag: string) {
  const { fenced, host } = place
  const volumes = yield* volumesOf(session, yield* findPool(session, host.pool), volumePrefix(tag))
  const names = volumes.map(({ name }) => name)
  const [disk, another] = names.filter((name) => DISK.test(name))
  if (another !== undefined) {
    return yield* new Rejected({ reason: `the machine has two disks: ${disk} and ${another}. Delete the older one` })
  }
  if (disk === undefined || fenced === null) return undefined
  const images = names.filter((name) => !DISK.test(name)).flatMap((name) => IMAGE.exec(name)?.[1] ?? [])
  const record: MachineRecord = {
    ...newRecord(tag, place, fenced, disk),
    seeded: names.includes(seedVolume(tag)),
    images: Object.fromEntries(images.map((image) => [image, fenced]))
  }
  return { domain: yield* save(session, record, place), record }
})

/** The machine of a tag on its host; undefined if it does not exist. */
export const findOrAdopt = Effect.fnUntraced(function*(session: Session, place: MachinePlace, tag: string) {
  const found = yield* findMachine(session, tag)
  return found !== undefined || place.fenced === null ? found : yield* adopt(session, place, tag)
})
