/**
 * Copies of disks with clean file systems: the guest agent freezes them, and thaws them again. The machine's record
 * says so before it happens, so that one that a crash of the service left frozen is thawed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { realSleep, realTimeout } from "../../../runtime/Time.ts"
import { Unavailable } from "../../Driver.ts"
import { freeze, type Guest, isFrozen, thaw } from "./GuestAgent.ts"
import type { MachineRecord } from "./MachineRecord.ts"
import { type Found, powerOf, save } from "./Machines.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import type { Work } from "./Work.ts"

const MILLIS = 1_000
const THAWS_MAX = 3
const THAW_SECONDS = 5

/** True once no file system is frozen; a machine that is off has none. */
const isThawed = (guest: Guest): Effect.Effect<boolean, CallFault> =>
  thaw(guest, THAW_SECONDS).pipe(
    Effect.as(true),
    Effect.catch(() => Effect.map(powerOf(guest.connection, guest.domain), (power) => power === "off"))
  )

/** Thaws a machine, as often as it takes; false if it does not reply. */
const thawed = Effect.fnUntraced(function*(guest: Guest) {
  for (let left = THAWS_MAX; left > 0; left--) {
    if (yield* Effect.orElseSucceed(isThawed(guest), () => false)) return true
    yield* realSleep(MILLIS)
  }
  return false
})

/** Thaws a machine whose record says that it was frozen. */
const recover = Effect.fnUntraced(function*(work: Pick<Work, "connection" | "place" | "domain" | "record">) {
  const { place, record, connection } = work
  if (record.frozenAt === null || !(yield* thawed(work))) return record
  const next = { ...record, frozenAt: null }
  yield* save(connection, next, place)
  return next
})

/** Freezes the file systems for the duration of a call, which is made in any case. Returns the record after it. */
export const whileFrozen = Effect.fnUntraced(
  function*(work: Work, call: Effect.Effect<void, CallFault>): Effect.fn.Return<MachineRecord, CallFault> {
    const { domain, place, connection, settings } = work
    const record = yield* recover(work)
    // Without an agent, or with file systems that its owner has frozen, the copy is as after a power failure.
    const status = yield* Effect.option(isFrozen(work))
    if (status._tag === "None" || status.value || record.frozenAt !== null) {
      yield* call
      return record
    }
    let frozenAt: number | null = yield* Clock.currentTimeMillis
    const begin = Effect.gen(function*() {
      yield* save(connection, { ...record, frozenAt }, place)
      yield* freeze(work, settings.LIBVIRT_FREEZE_MILLIS / MILLIS).pipe(
        Effect.catch(({ message }) => Effect.logInfo(`${domain.name} is copied without a freeze: ${message}`))
      )
    })
    const end = Effect.gen(function*() {
      if (yield* thawed(work)) frozenAt = null
      else yield* Effect.logError(`${domain.name} may be frozen: its guest agent does not reply. Restart it.`)
      yield* Effect.ignore(save(connection, { ...record, frozenAt }, place))
    })
    const limit = settings.LIBVIRT_FREEZE_MILLIS
    // The host may let the call wait for another one, and the system continues meanwhile.
    const made = yield* Effect.acquireUseRelease(
      Effect.andThen(begin, Effect.forkChild(call)),
      (fiber) => Effect.as(realTimeout(Fiber.await(fiber), limit, Effect.void), fiber),
      () => end
    )
    yield* Fiber.join(made)
    return { ...record, frozenAt }
  }
)

/** A copy begins, and a task that was interrupted continues, within this many times the limit. */
const ABANDONED = 6

export interface FreezeLimit {
  readonly LIBVIRT_FREEZE_MILLIS: number
}

/** True for a machine that no task thaws any more. */
export const isLeftFrozen = (
  { frozenAt }: MachineRecord,
  { LIBVIRT_FREEZE_MILLIS }: FreezeLimit,
  now: number
): boolean => frozenAt !== null && now - frozenAt > ABANDONED * LIBVIRT_FREEZE_MILLIS

/** Thaws a machine for an audit. */
export const thawLeft = Effect.fnUntraced(function*(connection: HostConnection, place: MachinePlace, found: Found) {
  const { frozenAt } = yield* recover({ connection, place, ...found })
  if (frozenAt !== null) return yield* new Unavailable({ reason: "its guest agent does not reply" })
})
