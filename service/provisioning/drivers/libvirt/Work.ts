/** The parts that all operations on a machine share. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { connect } from "node:net"
import { Busy, Rejected } from "../../Driver.ts"
import type { Fault } from "../../Driver.ts"
import { execute, isGuests, ping } from "./GuestAgent.ts"
import type { MachineRecord, Pending, Space } from "./MachineRecord.ts"
import { discardSaved, powerOf, powerOff, pressPowerButton, save } from "./Machines.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import { CODES, LibvirtError } from "./rpc/Faults.ts"
import type { Domain } from "./rpc/Types.ts"
import type { HostImage } from "../../../persistence/Hosts.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import { type PoolFull, reserve, type Storages } from "./Space.ts"

export interface WorkSettings {
  readonly HOST_REPLY_MILLIS: number
  readonly LIBVIRT_CERTIFICATE_MILLIS: number
  readonly LIBVIRT_COPY_MILLIS: number
  readonly LIBVIRT_SHUTDOWN_MILLIS: number
  readonly LIBVIRT_AGENT_MILLIS: number
  readonly LIBVIRT_FREEZE_MILLIS: number
  readonly LIBVIRT_BOOT_MILLIS: number
  readonly LIBVIRT_CONSOLE_PASSWORD_MILLIS: number
  readonly LIBVIRT_POOL_RESERVE_MIB: number
  readonly nameservers: ReadonlyArray<string>
}

/** One attempt to continue an operation. */
export interface Work {
  readonly connection: HostConnection
  readonly place: MachinePlace
  readonly domain: Domain
  readonly record: MachineRecord
  readonly pending: Pending
  /** Epoch milliseconds. */
  readonly now: number
  readonly settings: WorkSettings
  readonly storages: Storages
  /** An image or ISO on the machine's host. */
  readonly image: (slug: string) => Effect.Effect<HostImage | undefined>
}

/** The state after an attempt. A new record is stored. */
export interface Outcome {
  readonly isDone: boolean
  readonly record: MachineRecord
  /** 0 to 100. */
  readonly progress: number
  /** Size of a created image. */
  readonly imageBytes: number | null
}

/** Continues an operation from the state that it finds. It may be repeated at any time. */
export type Continue<O> = (work: Work, operation: O) => Effect.Effect<Outcome, Fault | CallFault>

export const done = (record: MachineRecord, imageBytes: number | null = null): Outcome => ({
  isDone: true,
  record,
  progress: 100,
  imageBytes
})

/** Not done: polled again, from this step on. */
export const waiting = (
  { pending, record }: Pick<Work, "pending" | "record">,
  step: number,
  progress = 0
): Outcome => ({
  isDone: false,
  record: { ...record, pending: { ...pending, step } },
  progress,
  imageBytes: null
})

export const rejected = (reason: string) => Effect.fail(new Rejected({ reason }))

/** Fails with `Busy` if a pool is full. An operator reads in the log what to do. */
export const waitForSpace = (what: string, tag: string, host: string) => ({ message }: PoolFull) =>
  Effect.logWarning(`The ${what} of ${tag} waits for space on host ${host}: ${message}`).pipe(
    Effect.andThen(Effect.fail(new Busy({ reason: message })))
  )

/**
 * Reserves space for a volume, until the operation ends. Called before anything has changed, so nothing is left of an
 * operation for which there is no space. Returns the work with the record that says so.
 */
export const needSpace = Effect.fnUntraced(
  function*(work: Work, poolName: string, volume: string, bytes: number): Effect.fn.Return<Work, Busy | CallFault> {
    const { pending, place, record, connection, settings, storages } = work
    const pool = { host: place.host, connection, pool: poolName }
    const store = (spaces: ReadonlyArray<Space>) => {
      const next = { ...record, spaces }
      return Effect.as(bytes === 0 ? Effect.void : save(connection, next, place), { ...work, record: next })
    }
    // A machine that is being built has nothing else to do.
    const forgotten = pending.type === "provision" ? Effect.void : save(connection, { ...record, pending: null }, place)
    return yield* reserve(storages, record, [{ pool, volume, bytes }], settings.LIBVIRT_POOL_RESERVE_MIB, store).pipe(
      Effect.catchTag("PoolFull", waitForSpace(pending.type, record.tag, place.host.name)),
      Effect.tapError((fault): Effect.Effect<unknown, CallFault> => fault instanceof Busy ? forgotten : Effect.void)
    )
  }
)

/** True once the machine is off: the system has time to shut down, and is powered off after that. */
export const shutDown = Effect.fnUntraced(function*({ domain, now, pending, connection, settings }: Work) {
  if ((yield* powerOf(connection, domain)) === "off") {
    yield* discardSaved(connection, domain)
    return true
  }
  if (now - pending.since >= settings.LIBVIRT_SHUTDOWN_MILLIS) {
    yield* powerOff(connection, domain)
    return true
  }
  if (pending.step === 0) yield* pressPowerButton(connection, domain)
  return false
})

/** A wait may prolong what it waits for by this part. */
const WAITED_PART = 1 / 20

/** The wait after which an operation is looked at again: short for a short operation, and at most `longest`. */
export const waitAfter = (elapsed: number, shortest: number, longest: number): number =>
  Math.min(longest, Math.max(shortest, elapsed * WAITED_PART))

const SSH_PORT = 22
const BANNER_MILLIS = { shortest: 200, longest: 1_000 }

/** True if an SSH server introduces itself. */
const hasSsh = ({ now, pending, record }: Work): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const timeout = waitAfter(now - pending.since, BANNER_MILLIS.shortest, BANNER_MILLIS.longest)
    const socket = connect({ host: record.ipv4, port: SSH_PORT, timeout })
    const answer = (isSsh: boolean) => {
      socket.destroy()
      resume(Effect.succeed(isSsh))
    }
    socket.once("data", (data: Buffer) => answer(data.toString().startsWith("SSH-")))
    socket.once("timeout", () => answer(false)).once("error", () => answer(false)).once("close", () => answer(false))
  })

/** True once the system has booted: its guest agent replies, or its SSH server. */
export const isReady = (work: Work): Effect.Effect<boolean, CallFault> =>
  Effect.as(ping(work), true).pipe(
    Effect.catch((error): Effect.Effect<boolean, CallFault> => isGuests(error) ? hasSsh(work) : Effect.fail(error))
  )

const HAS_APPLIED_SEED = "test -e /run/cloud-init/result.json || ! test -e /run/cloud-init/enabled"

/**
 * False while cloud-init works on the data of the first boot: it would replace a password that is set meanwhile.
 * A system whose agent executes nothing is not waited for.
 */
export const hasAppliedSeed = (work: Work): Effect.Effect<boolean, CallFault> =>
  Effect.map(execute(work, "/bin/sh", ["-c", HAS_APPLIED_SEED]), (code) => code !== 1).pipe(
    Effect.catch((error): Effect.Effect<boolean, CallFault> =>
      isGuests(error) ? Effect.succeed(true) : Effect.fail(error)
    )
  )

const NO_AGENT = "The guest agent of the instance does not reply. Install and start qemu-guest-agent in it; without a "
  + "login, use rescue mode or reinstall the instance."

/**
 * A call to the guest agent, which a booting system has not started yet. Fails with `Rejected` if it does not reply
 * within a while.
 */
export const withAgent = <A>(
  work: Work,
  call: Effect.Effect<A, CallFault>
): Effect.Effect<Option.Option<A>, CallFault | Rejected> =>
  Effect.asSome(call).pipe(
    Effect.catch((error): Effect.Effect<Option.Option<A>, CallFault | Rejected> => {
      if (!(error instanceof LibvirtError) || error.code !== CODES.AGENT) return Effect.fail(error)
      const waited = work.now - work.pending.since
      return waited < work.settings.LIBVIRT_AGENT_MILLIS ? Effect.succeedNone : rejected(NO_AGENT)
    })
  )
