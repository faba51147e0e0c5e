/**
 * The interface to the system that runs the machines. An operation is accepted first and done later. A driver must map
 * the same key to the same operation, so that a lost response or a crash does nothing twice.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { BootMode, Power } from "../domain/InstanceMachine.ts"
import type { HostContents, Scope } from "../domain/Finding.ts"
import type { Sample } from "../domain/Metrics.ts"
import type { OperationType as TaskOperation } from "@pulumi-vps/contract/OperationPower"

/** The machine or its host is busy. Nothing was done; retry. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", {
  reason: Schema.String,
  /** Retry for as long as it takes: its host does not respond, and an operator decides what to do. */
  isHostDown: Schema.optionalKey(Schema.Boolean)
}) {}

/** Rejected permanently: the same request will be rejected again. `reason` may be shown to the customer. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", { reason: Schema.String }) {}

/** The outcome is unknown: the driver was not reached, or its response was lost. Retry with the same key. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { reason: Schema.String }) {}

export type Fault = Busy | Rejected | Unavailable

/** The machine is off, so it has no screen. */
export class PoweredOff extends Schema.TaggedError<PoweredOff>()("PoweredOff", {}) {}

/** The arguments of operations; the others take none. Nothing in them is relative, so repeating one is harmless. */
interface Arguments {
  /** Label of the data center. */
  readonly provision: System & Size & { readonly dataCenter: string }
  /** A new system on the machine's disk. Leaves the rescue system and powers the machine on. */
  readonly reinstall: System
  /** Boots `bootMode`, independent of the previous one. */
  readonly start: { readonly bootMode: BootMode }
  /** Like a start, also of a machine that is off. */
  readonly restart: { readonly bootMode: BootMode }
  readonly resize: Size
  readonly reset_password: { readonly password: Redacted.Redacted<string> }
  readonly set_hostname: { readonly hostname: string }
  readonly set_rdns: { readonly ip: string; readonly ptr: string }
  readonly snapshot_create: ImageName
  readonly snapshot_restore: ImageName
  readonly snapshot_delete: ImageName
  /** Any other operation on the machine preempts a backup, which then polls as `Rejected`. */
  readonly backup_create: ImageName
  readonly backup_restore: ImageName
  readonly backup_delete: ImageName
  /** File name of the ISO, which replaces a mounted one. */
  readonly iso_mount: { readonly iso: string }
  /** Name of the host that the machine is to run on. */
  readonly move: {
    readonly host: string
    /** It may be powered off to move. Otherwise one that runs continues to, and the operation fails if it cannot. */
    readonly allowsDowntime: boolean
  }
}

export interface System {
  readonly hostname: string
  /** Slug of the image. */
  readonly os: string
  /** Installed for root. If that is impossible, the operation fails: a machine without a login is worse than none. */
  readonly sshPublicKey: string | null
  /** Null: the driver generates one and discards it. */
  readonly rootPassword: Redacted.Redacted<string> | null
}

/** Slug of the plan, and JSON text of its specs. */
export interface Size {
  readonly plan: string
  readonly specs: string | null
}

/** A name of ours, unique per machine. Deleting an image that does not exist succeeds. */
interface ImageName {
  readonly image: string
}

/** The operations of tasks, except for those whose steps are other operations; expired backups are deleted besides. */
export type OperationType = Exclude<TaskOperation, "suspend" | "unsuspend" | "expire"> | "backup_delete"

/** The operations of a type on a machine. `rescue_enter` and `rescue_exit` set the mode of the next boot. */
export type OperationOf<T extends OperationType> = T extends OperationType
  ? { readonly type: T } & (T extends keyof Arguments ? Arguments[T] : unknown)
  : never

export type Operation = OperationOf<OperationType>

/** One operation on one machine. */
export interface DriverRequest {
  /** The same for every repetition of the same step, different for all else. */
  readonly key: string
  /**
   * Our own name for the machine, stored by the driver: it identifies the machine after a lost response. No other
   * machine ever has the same. A driver changes no machine without it, and rejects the provision of one that exists.
   */
  readonly tag: string
  /** The driver's name for the machine; null while it is unknown. */
  readonly providerId: string | null
  readonly operation: Operation
}

export interface Machine {
  readonly providerId: string
  readonly tag: string
  readonly ipv4: string
  readonly ipv6: string | null
  /** Name of the host that runs it. */
  readonly node: string
  readonly hostname: string
}

/** The current state of a machine. */
export interface LiveState {
  readonly power: Power
  /** The upstream has stopped it for this reason, and its power is on; absent if it runs or is off. */
  readonly paused?: "storage_full"
  /** The mode of the last boot, also of one from inside the machine; absent if the driver does not know it. */
  readonly booted?: BootMode
  readonly uptimeSeconds: number
  /** The latest one; null while there is none. */
  readonly sample: Sample | null
}

/** Identifies a machine by our tag, and by the driver's name for it. */
export type MachineRef = Pick<Machine, "tag" | "providerId">

/**
 * The address of a machine's VNC server (RFB 3.8), until the machine is powered off. A password is valid for a minute,
 * so the connection is made at once.
 */
export type ConsoleAddress =
  | { readonly kind: "unix"; readonly path: string }
  | {
    readonly kind: "tcp"
    readonly host: string
    readonly port: number
    /** For VNC authentication: eight characters. */
    readonly password: Redacted.Redacted<string>
  }

/** Samples to fetch: one for each step that ended after `from` and until `to`; epoch milliseconds. */
export interface MetricsWindow {
  readonly stepSeconds: number
  readonly from: number
  readonly to: number
}

export interface Running {
  readonly state: "running"
  /** 0 to 100. */
  readonly progress: number
  /** Completes when it is worth polling again: after a pause, or after a notification. */
  readonly nextPoll: Effect.Effect<void>
}

export interface Done {
  readonly state: "done"
  /** The machine as it is now; null once it is terminated. */
  readonly machine: Machine | null
  /** Size of the created image; null for all other operations, and if the driver does not report it. */
  readonly imageBytes: number | null
}

/** An accepted operation is either in progress or done. */
export type Status = Running | Done

export class Driver extends Context.Service<Driver, {
  readonly name: string
  /** The supported operations. Others are rejected without a call. */
  readonly capabilities: ReadonlySet<OperationType>
  /** Submits an operation. A known key returns the status of its operation and starts nothing. */
  readonly submit: (request: DriverRequest) => Effect.Effect<Status, Fault>
  /** The status of a submitted operation; fails with `Rejected` when it failed or was never submitted. */
  readonly poll: (request: DriverRequest) => Effect.Effect<Status, Fault>
  /** Lets none wait for operations whose keys begin with a text: they are not repeated. Absent if none waits. */
  readonly abandon?: (tag: string, keys: string) => Effect.Effect<void, Fault>
  /** Thaws the file systems of a machine, which were frozen for a copy; absent if the driver freezes none. */
  readonly thaw?: (tag: string) => Effect.Effect<void, Fault>
  /** Continues a machine that was paused because its disk could not be written; absent if the driver pauses none. */
  readonly resume?: (tag: string) => Effect.Effect<void, Fault>
  /** Sets the filter of a machine's network card again; absent if the driver has none. */
  readonly protect?: (tag: string) => Effect.Effect<void, Fault>
  /** The machine with our tag, also while it is being built. */
  readonly find: (tag: string) => Effect.Effect<Machine | undefined, Busy | Unavailable>
  /** The machines on each host, for the audit; `all` also has their disks. */
  readonly list: (scope: Scope) => Effect.Effect<ReadonlyArray<HostContents>>
  /** The current state of a machine; fails with `Rejected` when it does not exist. */
  readonly inspect: (machine: MachineRef) => Effect.Effect<LiveState, Fault>
  /** Past samples, oldest first. The driver stores and rolls them up, so it may have less than requested. */
  readonly metrics: (machine: MachineRef, window: MetricsWindow) => Effect.Effect<ReadonlyArray<Sample>, Fault>
  /** The PTR record of an address, without the last dot; absent if the driver knows of none. */
  readonly ptr?: (ip: string) => Effect.Effect<string | undefined, Fault>
  /** The screen and keyboard of a machine; absent if the driver's machines have none. */
  readonly console?: (machine: MachineRef) => Effect.Effect<ConsoleAddress, Fault | PoweredOff>
}>()("@pulumi-vps/service/Driver") {}

/** The upstream's name for a backup's image. */
export const backupImage = (backupId: number): string => `backup-${backupId}`

/** Receives the progress of an operation, 0 to 100, after each poll. */
export type OnProgress<R> = (progress: number) => Effect.Effect<void, never, R>

const silent: OnProgress<never> = () => Effect.void

/** Polls until an accepted operation is done. */
const awaitDone = Effect.fnUntraced(function*<R>(request: DriverRequest, first: Status, onProgress: OnProgress<R>) {
  const driver = yield* Driver
  let status = first
  while (status.state === "running") {
    yield* onProgress(status.progress)
    yield* status.nextPoll
    status = yield* driver.poll(request)
  }
  return status
})

/** Submits an operation and polls until it is done. */
export const perform = Effect.fnUntraced(
  function*<R = never>(request: DriverRequest, onProgress: OnProgress<R> = silent) {
    const driver = yield* Driver
    const { type } = request.operation
    if (!driver.capabilities.has(type)) {
      return yield* new Rejected({ reason: `${driver.name} does not support ${type}` })
    }
    return yield* awaitDone(request, yield* driver.submit(request), onProgress)
  }
)

/** The outcome of an operation that was submitted before; starts nothing. Fails with `Rejected` if it never arrived. */
export const follow = Effect.fnUntraced(
  function*<R = never>(request: DriverRequest, onProgress: OnProgress<R> = silent) {
    return yield* awaitDone(request, yield* (yield* Driver).poll(request), onProgress)
  }
)

/** Like `perform`, for an operation that may have been accepted before: the machine with our tag is looked up first. */
export const performOrResume = Effect.fnUntraced(
  function*<R = never>(request: DriverRequest, onProgress: OnProgress<R> = silent) {
    const driver = yield* Driver
    const found = yield* driver.find(request.tag)
    if (found === undefined) return yield* perform(request, onProgress)
    return yield* awaitDone({ ...request, providerId: found.providerId }, yield* driver.poll(request), onProgress)
  }
)
