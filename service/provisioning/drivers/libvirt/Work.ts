/** The parts that all operations on a machine share. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { connect } from "node:net"
import { Busy, Rejected } from "../../Driver.ts"
import type { Fault } from "../../Driver.ts"
import type { MachineRecord, Pending } from "./MachineRecord.ts"
import { powerOf, powerOff, pressPowerButton, save } from "./Machines.ts"
import type { MachinePlace } from "./Places.ts"
import { CODES, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import type { HostImage } from "../../../persistence/Hosts.ts"
import type { CallFault, Session } from "./Session.ts"
import { assertSpace } from "./Volumes.ts"

export interface WorkSettings {
  readonly LIBVIRT_SHUTDOWN_MILLIS: number
  readonly LIBVIRT_AGENT_MILLIS: number
  readonly LIBVIRT_BOOT_MILLIS: number
  readonly LIBVIRT_CONSOLE_PASSWORD_MILLIS: number
  readonly LIBVIRT_POOL_RESERVE_MIB: number
  readonly nameservers: ReadonlyArray<string>
}

/** One attempt to continue an operation. */
export interface Work {
  readonly session: Session
  readonly place: MachinePlace
  readonly domain: Domain
  readonly record: MachineRecord
  readonly pending: Pending
  /** Epoch milliseconds. */
  readonly now: number
  readonly settings: WorkSettings
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

/**
 * Fails with `Busy` unless the pool has space for a file. Called before anything has changed, so nothing is left of the
 * operation; an operator reads in the log what to do.
 */
export const needSpace = (work: Work, bytes: number): Effect.Effect<void, Busy | CallFault> => {
  const { pending, place, record, session, settings } = work
  const { host } = place
  // A machine that is being built has nothing else to do.
  const forgotten = pending.type === "provision" ? Effect.void : save(session, { ...record, pending: null }, place)
  return Effect.catchTag(
    assertSpace(session, host.pool, bytes, settings.LIBVIRT_POOL_RESERVE_MIB),
    "PoolFull",
    ({ message }) =>
      Effect.logWarning(`The ${pending.type} of ${record.tag} waits for space on host ${host.name}: ${message}`).pipe(
        Effect.andThen(forgotten),
        Effect.andThen(Effect.fail(new Busy({ reason: message })))
      )
  )
}

/** True once the machine is off: the system has time to shut down, and is powered off after that. */
export const shutDown = Effect.fnUntraced(function*({ domain, now, pending, session, settings }: Work) {
  if ((yield* powerOf(session, domain)) === "off") return true
  if (now - pending.since >= settings.LIBVIRT_SHUTDOWN_MILLIS) {
    yield* powerOff(session, domain)
    return true
  }
  if (pending.step === 0) yield* pressPowerButton(session, domain)
  return false
})

const AGENT_SECONDS = 2

/** A command of the guest agent; its result as JSON. */
export const agent = (session: Session, domain: Domain, execute: string, args: object = {}) =>
  Effect.map(
    session.slow(CALLS.agent, [domain, JSON.stringify({ execute, arguments: args }), AGENT_SECONDS, 0]),
    (reply) => (JSON.parse(reply ?? "{}") as { readonly return?: unknown }).return
  )

const SSH_PORT = 22
const BANNER_MILLIS = 1_000

/** True if an SSH server introduces itself. */
const hasSsh = (address: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect({ host: address, port: SSH_PORT, timeout: BANNER_MILLIS })
    const settle = (answer: boolean) => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("data", (data: Buffer) => settle(data.toString().startsWith("SSH-")))
    socket.once("timeout", () => settle(false)).once("error", () => settle(false)).once("close", () => settle(false))
  })

/** True once the system has booted: its guest agent replies, or its SSH server. */
export const isReady = ({ domain, record, session }: Work): Effect.Effect<boolean, CallFault> =>
  Effect.as(agent(session, domain, "guest-ping"), true).pipe(
    Effect.catch((error): Effect.Effect<boolean, CallFault> =>
      error instanceof LibvirtError ? hasSsh(record.ipv4) : Effect.fail(error)
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
