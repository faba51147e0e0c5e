/**
 * What the service asks of whatever runs the machines. An operation is accepted first and done later; a driver must
 * answer the same key with the same operation, so that a lost answer or a crash in between does nothing twice.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { BootMode, Power } from "../domain/InstanceStatus.ts"
import type { Sample } from "../domain/Metrics.ts"

/** The machine or its host is busy with something else. Nothing was done; try again. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", { reason: Schema.String }) {}

/** Refused for good: the same request will be refused again. `reason` may be shown to the customer. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", { reason: Schema.String }) {}

/** Not reached, or the answer was lost: whether it was accepted is not known. Try again with the same key. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { reason: Schema.String }) {}

export type Fault = Busy | Rejected | Unavailable

export interface NewMachine {
  readonly type: "provision"
  readonly hostname: string
  /** Slug of the image. */
  readonly os: string
  /** Slug of the plan. */
  readonly plan: string
  /** JSON text of the plan's specs. */
  readonly specs: string | null
  /** Label of the data centre. */
  readonly dataCentre: string
  readonly sshPublicKey: string | null
  /** Null: the driver makes one up that nobody sees. */
  readonly rootPassword: Redacted.Redacted<string> | null
}

/** A new system on the machine's disk. Leaves the rescue system and powers the machine on. */
export interface Reinstall {
  readonly type: "reinstall"
  readonly hostname: string
  /** Slug of the image. */
  readonly os: string
  /** Installed for root, or the operation fails: a server that nobody can log into is worse than none. */
  readonly sshPublicKey: string | null
  /** Null: the driver makes one up that nobody sees. */
  readonly rootPassword: Redacted.Redacted<string> | null
}

/** What can be done, under the names of the task types. Nothing here is relative: doing it twice is doing it once. */
export type Operation =
  | NewMachine
  | Reinstall
  | { readonly type: "stop" }
  | { readonly type: "terminate" }
  /** A restart starts a machine that is off. Both boot what they name, whatever was booted before. */
  | { readonly type: "start" | "restart"; readonly bootMode: BootMode }
  /** Set what the next boot boots. */
  | { readonly type: "rescue_enter" | "rescue_exit" }
  /** Slug and JSON text of the specs of the new plan. */
  | { readonly type: "resize"; readonly plan: string; readonly specs: string | null }
  | { readonly type: "reset_password"; readonly password: Redacted.Redacted<string> }
  | { readonly type: "set_hostname"; readonly hostname: string }
  | { readonly type: "set_rdns"; readonly ip: string; readonly ptr: string }
  /** Images carry a name of ours, unique for the machine. Deleting one that is not there is done already. */
  | { readonly type: "snapshot_create" | "snapshot_restore" | "snapshot_delete"; readonly image: string }
  /** A backup gives way: any other operation on the machine ends it, and it then polls as `Rejected`. */
  | { readonly type: "backup_create" | "backup_restore" | "backup_delete"; readonly image: string }
  /** File name of the ISO; what was in the drive before is taken out. */
  | { readonly type: "iso_mount"; readonly iso: string }
  | { readonly type: "iso_unmount" }

export type OperationType = Operation["type"]

/** One operation on one machine. */
export interface DriverRequest {
  /** The same for every repetition of the same step, different for all else. */
  readonly key: string
  /** Our own name for the machine, which the upstream keeps: it finds the machine after a lost answer. */
  readonly tag: string
  /** The upstream's name for the machine; null while it is not known. */
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
  readonly power: Power
}

/** Where a machine is, and what it does right now. */
export interface LiveState {
  readonly power: Power
  readonly uptimeSeconds: number
  /** The newest one; null while there is none. */
  readonly sample: Sample | null
}

/** Which machine: by our tag, and by the upstream's name for it. */
export interface MachineRef {
  readonly tag: string
  readonly providerId: string
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
  /** Ends when asking again is worthwhile: after a pause, or when the upstream has called back. */
  readonly again: Effect.Effect<void>
}

export interface Done {
  readonly state: "done"
  /** The machine as it is now; null once it is terminated. */
  readonly machine: Machine | null
  /** Size of the image that was created; null for all other operations, and where the upstream does not say. */
  readonly imageBytes: number | null
}

/** Accepted, and either under way or done. */
export type Status = Running | Done

export class Driver extends Context.Service<Driver, {
  readonly name: string
  /** Operations it can do at all; any other is refused before it is asked. */
  readonly capabilities: ReadonlySet<OperationType>
  /** Hands an operation over. A key it has seen before answers how that operation stands and starts nothing. */
  readonly submit: (order: DriverRequest) => Effect.Effect<Status, Fault>
  /** How a submitted operation stands; fails with `Rejected` when it failed upstream or was never submitted. */
  readonly poll: (order: DriverRequest) => Effect.Effect<Status, Fault>
  /** The machine that carries our tag, also while it is being built. */
  readonly find: (tag: string) => Effect.Effect<Machine | undefined, Unavailable>
  /** What a machine does right now; `Rejected` when there is none. */
  readonly inspect: (place: MachineRef) => Effect.Effect<LiveState, Fault>
  /** What it did, oldest first: kept and rolled up by the upstream, which may know less than was asked for. */
  readonly metrics: (place: MachineRef, window: MetricsWindow) => Effect.Effect<ReadonlyArray<Sample>, Fault>
}>()("pulumi-vps/service/Driver") {}

/** The tag of an instance's machine. */
export const tagOf = (instanceId: number): string => `instance-${instanceId}`

/** Called with the upstream's progress, 0 to 100, whenever it was asked and is not done. */
export type OnProgress<R> = (progress: number) => Effect.Effect<void, never, R>

const silent: OnProgress<never> = () => Effect.void

/** Waits until an accepted operation is done. */
const awaitDone = Effect.fnUntraced(function*<R>(order: DriverRequest, first: Status, onProgress: OnProgress<R>) {
  const driver = yield* Driver
  let status = first
  while (status.state === "running") {
    yield* onProgress(status.progress)
    yield* status.again
    status = yield* driver.poll(order)
  }
  return status
})

/** Submits an operation and waits until it is done. */
export const perform = Effect.fnUntraced(
  function*<R = never>(order: DriverRequest, onProgress: OnProgress<R> = silent) {
    const driver = yield* Driver
    const { type } = order.operation
    if (!driver.capabilities.has(type)) return yield* new Rejected({ reason: `${driver.name} cannot ${type}` })
    return yield* awaitDone(order, yield* driver.submit(order), onProgress)
  }
)

/** Like `perform`, for an operation that may have been accepted before: the machine with our tag is looked up first. */
export const performOrResume = Effect.fnUntraced(
  function*<R = never>(order: DriverRequest, onProgress: OnProgress<R> = silent) {
    const driver = yield* Driver
    const found = yield* driver.find(order.tag)
    if (found === undefined) return yield* perform(order, onProgress)
    return yield* awaitDone({ ...order, providerId: found.providerId }, yield* driver.poll(order), onProgress)
  }
)
