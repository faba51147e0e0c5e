/**
 * Machines that exist in the database only. The changes of an operation are written together with its key when it is
 * accepted; only its completion is reported later. So a restart loses nothing, and a repeated key changes nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HostContents } from "../../../domain/Finding.ts"
import { FINEST_STEP_SECONDS } from "../../../domain/Metrics.ts"
import { Limits } from "../../../config/Limits.ts"
import {
  type SimulatedMachine,
  SimulatedMachines,
  type SimulatedOperation
} from "../../../persistence/SimulatedMachines.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import {
  Busy,
  type Done,
  Driver,
  type DriverRequest,
  type LiveState,
  type Machine,
  type MachineRef,
  Rejected,
  type Running,
  Unavailable
} from "../../Driver.ts"
import { ipv4At, ipv6Of, providerIdOf } from "./Addresses.ts"
import { apply, CAPABILITIES } from "./Changes.ts"
import { DeployClock, layer as deployClock } from "./DeployClock.ts"
import { samples } from "./Metrics.ts"

const toMachine = (machine: SimulatedMachine): Machine => ({
  providerId: providerIdOf(machine),
  tag: machine.tag,
  ipv4: ipv4At(machine.address),
  ipv6: ipv6Of(machine.id),
  node: machine.node,
  hostname: machine.hostname
})

const isDone = Effect.fnUntraced(function*(operation: SimulatedOperation | undefined) {
  if (operation === undefined || operation.abandoned) return true
  return (yield* (yield* DeployClock).remaining(operation)) === "nothing"
})

/** A machine does one operation at a time. Every operation preempts a backup, which leaves nothing behind. */
const makeIdle = Effect.fnUntraced(function*({ operation, tag }: SimulatedMachine) {
  const machines = yield* SimulatedMachines
  const current = yield* machines.operation(operation)
  if (current === undefined || (yield* isDone(current))) return
  if (current.type !== "backup_create") return yield* new Busy({ reason: `the machine is busy (${current.type})` })
  yield* machines.abandon(current.key)
  if (current.subject !== null) yield* machines.removeImage(tag, current.subject)
})

/** Time between two deletions of old keys, in milliseconds: keys are retained much longer. */
const CLEANING_MILLIS = 3_600_000

/** Accepts a request, in one transaction. `cleaning` has the time of the last deletion of old keys. */
const accept = Effect.fnUntraced(function*(request: DriverRequest, cleaning: { at: number }) {
  const machines = yield* SimulatedMachines
  const { key, operation, tag } = request
  const { existing, machine } = yield* (yield* Transaction).together({
    existing: machines.operation(key),
    machine: machines.find(tag)
  })
  if (existing !== undefined) return existing
  if (operation.type === "provision" && machine !== undefined) {
    return yield* new Rejected({ reason: "the host has a machine of that name already, which another order made" })
  }
  // Termination also removes a half-built machine.
  if (operation.type !== "terminate" && machine !== undefined) yield* makeIdle(machine)
  const acceptedAt = yield* Clock.currentTimeMillis
  yield* apply(request, machine, acceptedAt)
  const subject = "image" in operation ? operation.image : null
  const accepted = { key, tag, type: operation.type, subject, acceptedAt, abandoned: false }
  yield* machines.accept(accepted)
  if (Math.abs(acceptedAt - cleaning.at) >= CLEANING_MILLIS) {
    yield* machines.deleteBefore(acceptedAt - (yield* Limits).SIMULATED_KEY_RETENTION_MILLIS)
    cleaning.at = acceptedAt
  }
  return accepted satisfies SimulatedOperation
})

/** The size of the image that an operation created. */
const createdBytes = Effect.fnUntraced(function*({ subject, tag, type }: SimulatedOperation) {
  if (subject === null || !type.endsWith("_create")) return null
  return (yield* (yield* SimulatedMachines).image(tag, subject))?.sizeBytes ?? null
})

const statusOf = Effect.fnUntraced(function*(operation: SimulatedOperation) {
  if (operation.abandoned) return yield* new Rejected({ reason: "the backup was preempted by another operation" })
  const clock = yield* DeployClock
  const version = yield* clock.changed.version
  const remaining = yield* clock.remaining(operation)
  const changed = clock.changed.waitSince(version)
  if (remaining === "reads") return { state: "running", progress: 0, nextPoll: changed } satisfies Running
  if (remaining !== "nothing") {
    const nextPoll = Effect.raceFirst(Effect.sleep(remaining.millis), changed)
    return { state: "running", progress: remaining.progress, nextPoll } satisfies Running
  }
  const machine = yield* (yield* SimulatedMachines).find(operation.tag)
  if (machine === undefined && operation.type !== "terminate") {
    return yield* new Rejected({ reason: "the machine has been terminated" })
  }
  const imageBytes = yield* createdBytes(operation)
  return { state: "done", machine: machine === undefined ? null : toMachine(machine), imageBytes } satisfies Done
})

/** The data behind the samples of a machine; fails with `Rejected` when it does not exist. */
const subjectOf = Effect.fnUntraced(function*({ tag }: MachineRef) {
  const machines = yield* SimulatedMachines
  const machine = yield* machines.find(tag)
  if (machine === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
  return { ...machine, changes: yield* machines.powerHistory(tag) }
})

/** Simulated machines by their host. They have no disks, and do not crash. */
const contentsOf = (machines: ReadonlyArray<SimulatedMachine>): ReadonlyArray<HostContents> =>
  [...Map.groupBy(machines, ({ node }) => node)].map(([host, each]) => ({
    host,
    storage: host,
    machines: each.map(({ power, tag }) => ({
      tag,
      power,
      isCrashed: false,
      isLeftOff: false,
      isSaved: false,
      isPaused: false,
      isResumable: false,
      isUnprotected: false,
      isFrozen: false
    })),
    foreign: [],
    disks: [],
    backups: null,
    lostImages: [],
    pools: [],
    space: null,
    copies: [],
    certificates: [],
    failure: null,
    isOff: false,
    connection: 0
  }))

const MILLIS = 1_000

const inspect = Effect.fnUntraced(function*(machine: MachineRef) {
  const subject = yield* subjectOf(machine)
  const now = yield* Clock.currentTimeMillis
  const on = subject.power === "on"
  const booted = subject.changes.at(-1)?.at ?? now
  const window = { stepSeconds: FINEST_STEP_SECONDS, from: now - FINEST_STEP_SECONDS * MILLIS, to: now }
  return {
    power: subject.power,
    booted: subject.booted,
    uptimeSeconds: on ? Math.floor((now - booted) / MILLIS) : 0,
    sample: samples(subject, window).at(-1) ?? null
  } satisfies LiveState
})

const make = Effect.gen(function*() {
  const context = yield* Effect.context<SimulatedMachines | DeployClock | Limits | Transaction>()
  const machines = yield* SimulatedMachines
  const transaction = yield* Transaction
  const cleaning = { at: 0 }
  return Driver.of({
    name: "simulated",
    capabilities: CAPABILITIES,
    submit: (request) =>
      // Its rules are about one machine, and addresses are unique.
      transaction.runLocking({ machine: request.tag })(accept(request, cleaning)).pipe(
        Effect.catchTag("StorageUnavailable", ({ message }) => Effect.fail(new Unavailable({ reason: message }))),
        Effect.flatMap(statusOf),
        Effect.provideContext(context)
      ),
    poll: ({ key }) =>
      Effect.flatMap(machines.operation(key), (operation) =>
        operation === undefined
          ? Effect.fail(new Rejected({ reason: "unknown operation" }))
          : statusOf(operation)).pipe(Effect.provideContext(context)),
    find: (tag) => Effect.map(machines.find(tag), (machine) => machine === undefined ? undefined : toMachine(machine)),
    list: () => Effect.map(machines.all, contentsOf),
    ptr: machines.ptr,
    inspect: (machine) => Effect.provideContext(inspect(machine), context),
    metrics: (machine, window) =>
      Effect.provideContext(Effect.map(subjectOf(machine), (subject) => samples(subject, window)), context)
  })
})

/** The driver, and the clock that says when its operations are done. */
export const layer: Layer.Layer<Driver | DeployClock, never, Limits | SimulatedMachines | Transaction> = Layer.effect(
  Driver,
  make
).pipe(Layer.provideMerge(deployClock))
