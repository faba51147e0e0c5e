/** New machines, and new systems on existing ones. */
import * as Effect from "effect/Effect"
import type { OperationOf } from "../../../Driver.ts"
import { diskXml, seedDrive } from "../DomainXml.ts"
import { DISK, diskVolume, type MachineRecord, seedVolume } from "../MachineRecord.ts"
import { powerOff, powerOn, save } from "../Machines.ts"
import { CODES } from "../rpc/Faults.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import type { Pool } from "../rpc/Types.ts"
import { seedDisc } from "../Seed.ts"
import { deleteVolume, ensureVolume, findPool, findVolume, orElse, storeVolume, volumesOf } from "../Volumes.ts"
import {
  type Continue,
  done,
  hasAppliedSeed,
  isReady,
  needSpace,
  rejected,
  waiting,
  type Work,
  type WorkSettings
} from "../Work.ts"

const BYTES_PER_GIB = 2 ** 30

/** The disk on top of the image, which stays unchanged. */
const makeDisk = Effect.fnUntraced(function*({ image, connection }: Work, pool: Pool, record: MachineRecord) {
  const stored = yield* image(record.os)
  if (stored === undefined || stored.kind !== "disk") return yield* rejected(`the host has no image ${record.os}`)
  const base = yield* findVolume(connection, pool, stored.volume)
  if (base === undefined) return yield* rejected(`the image ${record.os} is missing on the host`)
  const [, capacity] = yield* connection.call(CALLS.volumeInfo, [base])
  if (capacity > record.diskGib * BYTES_PER_GIB) {
    return yield* rejected(`the image ${record.os} needs a disk of ${Math.ceil(capacity / BYTES_PER_GIB)} GB`)
  }
  yield* ensureVolume(connection, pool, record.disk, diskXml(record.disk, record.diskGib, base.key))
})

const install = Effect.fnUntraced(
  function*(work: Work, operation: OperationOf<"provision" | "reinstall">, record: MachineRecord) {
    const { pending, place, connection, settings } = work
    const pool = yield* findPool(connection, place.host.pool)
    yield* needSpace(work, place.host.pool, "", 0)
    yield* makeDisk(work, pool, record)
    const disc = seedDisc({
      id: pending.key,
      hostname: operation.hostname,
      sshPublicKey: operation.sshPublicKey,
      rootPassword: operation.rootPassword,
      assignment: place.assignment,
      nameservers: settings.nameservers
    })
    const name = seedVolume(record.tag)
    yield* storeVolume(connection, place.host.pool, { name, bytes: disc.length, data: () => [disc], secret: true })
  }
)

const LIVE_BY_FORCE = 1 + 4

/** Removes the data of the first boot, which the system has applied. */
const removeSeed = Effect.fnUntraced(function*({ domain, place, record, connection }: Work) {
  const drive = seedDrive(place.host, null)
  yield* orElse(
    connection.slow(CALLS.updateDevice, [domain, drive, LIVE_BY_FORCE]),
    [CODES.OPERATION_INVALID],
    Effect.void
  )
  const pool = yield* findPool(connection, place.host.pool)
  const volume = yield* findVolume(connection, pool, seedVolume(record.tag))
  if (volume !== undefined) yield* deleteVolume(connection, volume)
})

const neverBooted = ({ os }: MachineRecord, { LIBVIRT_BOOT_MILLIS }: WorkSettings): string =>
  `The system of image ${os} has not booted within ${LIBVIRT_BOOT_MILLIS} ms: neither its guest agent nor its SSH `
  + "server replied. Boot the image by hand, and look at its console."

/** Waits for the first boot; a machine that is off meanwhile, as after a restart of the host, is started again. */
const awaitBoot = Effect.fnUntraced(function*(work: Work) {
  const { domain, now, record, connection } = work
  yield* powerOn(connection, domain)
  const hasTime = now - work.pending.since < work.settings.LIBVIRT_BOOT_MILLIS
  if (!(yield* isReady(work))) {
    return hasTime ? waiting(work, 1, 50) : yield* rejected(neverBooted(record, work.settings))
  }
  if (hasTime && !(yield* hasAppliedSeed(work))) return waiting(work, 1, 80)
  yield* removeSeed(work)
  return done({ ...record, seeded: false, bootedAt: record.bootedAt ?? now })
})

const boot = Effect.fnUntraced(function*(work: Work, record: MachineRecord) {
  yield* save(work.connection, record, work.place)
  yield* powerOn(work.connection, work.domain)
  return waiting({ ...work, record }, 1, 20)
})

const provision: Continue<OperationOf<"provision">> = Effect.fnUntraced(function*(work, operation) {
  if (work.pending.step > 0) return yield* awaitBoot(work)
  const record = { ...work.record, bootedAt: work.now }
  yield* install(work, operation, record)
  return yield* boot(work, record)
})

/** Deletes disks that an earlier system or an interrupted attempt has left. */
export const removeOldDisks = Effect.fnUntraced(function*({ place, connection }: Work, { disk, tag }: MachineRecord) {
  const pool = yield* findPool(connection, place.host.pool)
  for (const volume of yield* volumesOf(connection, pool, tag)) {
    if (DISK.test(volume.name) && volume.name !== disk) yield* deleteVolume(connection, volume)
  }
})

const reinstall: Continue<OperationOf<"reinstall">> = Effect.fnUntraced(function*(work, operation) {
  if (work.pending.step > 0) {
    const outcome = yield* awaitBoot(work)
    if (outcome.isDone) yield* removeOldDisks(work, outcome.record)
    return outcome
  }
  const { hostname, os } = operation
  const disk = diskVolume(work.record.tag, work.pending.key)
  const system = { hostname, os, disk, seeded: true, bootMode: "disk", rescue: null, bootedAt: work.now } as const
  const record = { ...work.record, ...system }
  yield* install(work, operation, record)
  yield* powerOff(work.connection, work.domain)
  return yield* boot(work, record)
})

export const SYSTEMS = { provision, reinstall }
