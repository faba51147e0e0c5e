/** Power, boot modes, and the virtual drive. */
import * as Effect from "effect/Effect"
import type { BootMode } from "../../../../domain/InstanceMachine.ts"
import type { Operation, OperationOf } from "../../../Driver.ts"
import { isoDrive } from "../DomainXml.ts"
import { discardSaved, powerOf, powerOff, powerOn, save } from "../Machines.ts"
import { CODES } from "../rpc/Faults.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import { orElse } from "../Volumes.ts"
import { type Continue, done, rejected, shutDown, waiting, type Work } from "../Work.ts"

/** The name of the rescue system among the images of a host. */
const RESCUE = "rescue"

/** The record with the mode of the next boot. */
const withBootMode = Effect.fnUntraced(function*({ image, record }: Work, bootMode: BootMode) {
  if (bootMode === "disk") return { ...record, bootMode, rescue: null }
  const rescue = yield* image(RESCUE)
  if (rescue === undefined || rescue.kind !== "iso") return yield* rejected("the host has no rescue system")
  return { ...record, bootMode, rescue: rescue.volume }
})

const start: Continue<OperationOf<"start">> = Effect.fnUntraced(function*(work, { bootMode }) {
  const { domain, now, place, connection } = work
  if ((yield* powerOf(connection, domain)) === "on") return done(work.record)
  const record = { ...yield* withBootMode(work, bootMode), bootedAt: now }
  if (record.rescue !== work.record.rescue) yield* discardSaved(connection, domain)
  yield* save(connection, record, place)
  yield* powerOn(connection, domain)
  return done(record)
})

const stop: Continue<Operation> = Effect.fnUntraced(function*(work) {
  if (!(yield* shutDown(work))) return waiting(work, 1)
  yield* powerOff(work.connection, work.domain)
  return done({ ...work.record, bootedAt: null })
})

/** The last step of a restart: the machine is off, or was started again already. */
const STARTING = 2

const restart: Continue<OperationOf<"restart">> = Effect.fnUntraced(function*(work, { bootMode }) {
  const { domain, now, pending, place, connection } = work
  if (pending.step < STARTING) {
    if (!(yield* shutDown(work))) return waiting(work, 1)
    return waiting({ ...work, record: { ...yield* withBootMode(work, bootMode), bootedAt: now } }, STARTING, 50)
  }
  yield* save(connection, work.record, place)
  yield* powerOn(connection, domain)
  return done(work.record)
})

const setBootMode = (bootMode: BootMode): Continue<Operation> =>
  Effect.fnUntraced(function*(work) {
    const record = yield* withBootMode(work, bootMode)
    if (record.rescue !== work.record.rescue) yield* discardSaved(work.connection, work.domain)
    return done(record)
  })

const LIVE_BY_FORCE = 1 + 4

/** Changes the drive of a running machine. During a rescue it holds the rescue system, until the next boot. */
const setIso = Effect.fnUntraced(function*({ domain, place, record, connection }: Work, iso: string | null) {
  yield* discardSaved(connection, domain)
  if (record.rescue === null && (yield* powerOf(connection, domain)) === "on") {
    const changed = connection.slow(CALLS.updateDevice, [domain, isoDrive(place.host, iso), LIVE_BY_FORCE])
    // It was powered off meanwhile.
    yield* orElse(changed, [CODES.OPERATION_INVALID], Effect.void)
  }
  return done({ ...record, iso })
})

const mountIso: Continue<OperationOf<"iso_mount">> = Effect.fnUntraced(function*(work, { iso }) {
  const stored = yield* work.image(iso)
  if (stored === undefined || stored.kind !== "iso") return yield* rejected(`the host has no ISO ${iso}`)
  return yield* setIso(work, stored.volume)
})

const unmountIso: Continue<Operation> = (work) => setIso(work, null)

export const POWER = {
  start,
  stop,
  restart,
  rescue_enter: setBootMode("rescue"),
  rescue_exit: setBootMode("disk"),
  iso_mount: mountIso,
  iso_unmount: unmountIso
}
