/** The effect of each operation on a machine. All of it is written when the operation is accepted. */
import * as Effect from "effect/Effect"
import { Limits } from "../../../config/Limits.ts"
import { type SimulatedMachine, SimulatedMachines } from "../../../persistence/SimulatedMachines.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { type DriverRequest, type OperationOf, type OperationType, Rejected } from "../../Driver.ts"
import { addressOf, nodeAt, POOL_SIZE } from "./Addresses.ts"
import { sizesOf } from "./Metrics.ts"

/** Fails if root's key cannot be installed. */
const assertKeyFits = Effect.fnUntraced(
  function*({ os, sshPublicKey }: Pick<OperationOf<"reinstall">, "os" | "sshPublicKey">) {
    if (sshPublicKey === null || !os.startsWith("windows")) return
    return yield* new Rejected({ reason: `the SSH key cannot be installed on ${os}` })
  }
)

/** Records that a machine booted, or was powered off. */
const recordPower = Effect.fnUntraced(function*(tag: string, power: "on" | "off", at: number) {
  const { SIMULATED_POWER_RETENTION_MILLIS } = yield* Limits
  const machines = yield* SimulatedMachines
  yield* machines.recordPower(tag, { at, power })
  yield* machines.deletePowerBefore(tag, at - SIMULATED_POWER_RETENTION_MILLIS)
})

const build = Effect.fnUntraced(
  function*({ key, tag }: DriverRequest, operation: OperationOf<"provision">, at: number) {
    yield* assertKeyFits(operation)
    const machines = yield* SimulatedMachines
    const { address, isTerminated } = yield* (yield* Transaction).together({
      address: machines.freeAddress(POOL_SIZE, addressOf(tag)),
      isTerminated: machines.isTerminated(tag)
    })
    // Its instance was deleted meanwhile: the call was delayed, and another process has completed the task.
    if (isTerminated) return yield* new Rejected({ reason: "the machine has been terminated" })
    if (address === undefined) return yield* new Rejected({ reason: "no IPv4 address is available" })
    const { dataCenter, hostname, os, plan, specs, sshPublicKey: sshKey } = operation
    const node = nodeAt(dataCenter, address)
    const fresh = { power: "on", bootMode: "disk", booted: "disk", iso: null, createdAt: at } as const
    yield* machines.insert({ ...fresh, tag, hostname, os, plan, specs, sshKey, node, address, operation: key })
    yield* machines.recordPower(tag, { at, power: "on" })
  }
)

/** An operation on an existing machine. */
type ChangeType = Exclude<OperationType, "provision" | "terminate">

/** The machine after an operation. */
type Change<T extends ChangeType> = (
  machine: SimulatedMachine,
  operation: OperationOf<T>
) => Effect.Effect<SimulatedMachine, Rejected, SimulatedMachines>

/** The size of an image: a part of the disk that depends only on the image's name. */
const imageBytes = ({ specs }: SimulatedMachine, name: string): number => {
  const tenths = 1 + [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5
  return Math.floor(sizesOf(specs).disk * tenths / 10)
}

const boot = (machine: SimulatedMachine, { bootMode }: Pick<OperationOf<"start">, "bootMode">) =>
  Effect.succeed({ ...machine, power: "on", bootMode } as const)

const reinstall = Effect.fnUntraced(function*(machine: SimulatedMachine, operation: OperationOf<"reinstall">) {
  yield* assertKeyFits(operation)
  const { hostname, os, sshPublicKey: sshKey } = operation
  return { ...machine, hostname, os, sshKey, power: "on", bootMode: "disk" } as const
})

type Image = Pick<OperationOf<"snapshot_create">, "image">

const addImage = Effect.fnUntraced(function*(machine: SimulatedMachine, { image: name }: Image) {
  const { hostname, os, tag } = machine
  yield* (yield* SimulatedMachines).addImage({ tag, name, os, hostname, sizeBytes: imageBytes(machine, name) })
  return machine
})

const removeImage = (machine: SimulatedMachine, { image }: Image) =>
  Effect.as(Effect.flatMap(SimulatedMachines, (machines) => machines.removeImage(machine.tag, image)), machine)

const restoreImage = Effect.fnUntraced(function*(machine: SimulatedMachine, { image: name }: Image) {
  const image = yield* (yield* SimulatedMachines).image(machine.tag, name)
  if (image === undefined) return yield* new Rejected({ reason: "the image does not exist" })
  return { ...machine, os: image.os, hostname: image.hostname }
})

const CHANGES: { readonly [T in ChangeType]: Change<T> } = {
  start: boot,
  restart: boot,
  stop: (machine) => Effect.succeed({ ...machine, power: "off" }),
  reinstall,
  resize: (machine, { plan, specs }) => Effect.succeed({ ...machine, plan, specs }),
  // The password is not stored: a simulated machine has no login.
  reset_password: (machine) => Effect.succeed(machine),
  set_hostname: (machine, { hostname }) => Effect.succeed({ ...machine, hostname }),
  set_rdns: (machine, { ip, ptr }) =>
    Effect.as(Effect.flatMap(SimulatedMachines, ({ setPtr }) => setPtr(machine.tag, ip, ptr)), machine),
  snapshot_create: addImage,
  snapshot_restore: restoreImage,
  snapshot_delete: removeImage,
  backup_create: addImage,
  backup_restore: restoreImage,
  backup_delete: removeImage,
  iso_mount: (machine, { iso }) => Effect.succeed({ ...machine, iso }),
  iso_unmount: (machine) => Effect.succeed({ ...machine, iso: null }),
  move: (machine, { host }) => Effect.succeed({ ...machine, node: host }),
  rescue_enter: (machine) => Effect.succeed({ ...machine, bootMode: "rescue" }),
  rescue_exit: (machine) => Effect.succeed({ ...machine, bootMode: "disk" })
}

/** Every operation of the simulated driver. */
export const CAPABILITIES: ReadonlySet<OperationType> = new Set<OperationType>([
  "provision",
  ...Object.keys(CHANGES) as ReadonlyArray<ChangeType>,
  "terminate"
])

/** Operations that boot the machine even if it was on. */
const BOOTS: ReadonlySet<string> = new Set(["restart", "reinstall", "snapshot_restore", "backup_restore"])

/** Applies a request to the machine, if there is one. Runs in the transaction that accepts the request. */
export const apply = Effect.fnUntraced(
  function*(request: DriverRequest, machine: SimulatedMachine | undefined, at: number) {
    const { key, operation, tag } = request
    const machines = yield* SimulatedMachines
    if (operation.type === "terminate") return yield* machines.remove(tag)
    if (operation.type === "provision") {
      // An existing machine was accepted so long ago that its key was deleted.
      return machine === undefined ? yield* build(request, operation, at) : undefined
    }
    if (machine === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
    const changed = yield* (CHANGES[operation.type] as Change<ChangeType>)(machine, operation)
    const boots = changed.power === "on" && (BOOTS.has(operation.type) || machine.power === "off")
    yield* machines.save({ ...changed, booted: boots ? changed.bootMode : machine.booted, operation: key })
    if (boots || changed.power !== machine.power) yield* recordPower(tag, changed.power, at)
  }
)
