/** What each operation makes of a machine. All of it is written when the operation is accepted. */
import * as Effect from "effect/Effect"
import { Limits } from "../../../config/Limits.ts"
import { type SimulatedMachine, SimulatedMachines } from "../../../persistence/SimulatedMachines.ts"
import { type DriverRequest, type NewMachine, type Operation, type Reinstall, Rejected } from "../../Driver.ts"
import { nodeAt, POOL_SIZE } from "./Addresses.ts"
import { sizesOf } from "./Metrics.ts"

/** Root's key cannot be put there. */
const assertKeyFits = Effect.fnUntraced(function*({ os, sshPublicKey }: Pick<NewMachine, "os" | "sshPublicKey">) {
  if (sshPublicKey === null || !os.startsWith("windows")) return
  return yield* new Rejected({ reason: `the SSH key cannot be installed on ${os}` })
})

/** Boots, or switches off; what is switched to what it is already leaves no trace. */
const note = Effect.fnUntraced(function*(tag: string, power: "on" | "off", at: number) {
  const { SIMULATED_POWER_RETENTION_MILLIS } = yield* Limits
  yield* (yield* SimulatedMachines).recordPower(tag, { at, power }, at - SIMULATED_POWER_RETENTION_MILLIS)
})

const build = Effect.fnUntraced(function*({ key, tag }: DriverRequest, asked: NewMachine, at: number) {
  yield* assertKeyFits(asked)
  const machines = yield* SimulatedMachines
  const address = yield* machines.freeAddress(POOL_SIZE)
  if (address === undefined) return yield* new Rejected({ reason: "no IPv4 address is left" })
  const { dataCentre, hostname, os, plan, specs, sshPublicKey: sshKey } = asked
  const node = nodeAt(dataCentre, address)
  const fresh = { power: "on", bootMode: "disk", iso: null, createdAt: at } as const
  yield* machines.insert({ ...fresh, tag, hostname, os, plan, specs, sshKey, node, address, operation: key })
  yield* note(tag, "on", at)
})

/** Size of an image: a part of the disk that depends on the image's name only. */
const imageBytes = ({ specs }: SimulatedMachine, name: string): number => {
  const tenths = 1 + [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5
  return Math.floor(sizesOf(specs).disk * tenths / 10)
}

const restored = Effect.fnUntraced(function*(machine: SimulatedMachine, name: string) {
  const image = yield* (yield* SimulatedMachines).image(machine.tag, name)
  if (image === undefined) return yield* new Rejected({ reason: "the image does not exist" })
  return { ...machine, os: image.os, hostname: image.hostname }
})

const reinstalled = Effect.fnUntraced(function*(machine: SimulatedMachine, asked: Reinstall) {
  yield* assertKeyFits(asked)
  const { hostname, os, sshPublicKey: sshKey } = asked
  return { ...machine, hostname, os, sshKey, power: "on", bootMode: "disk" } as const
})

type Images = Extract<Operation, { readonly image: string }>

/** Images come and go beside the machine, which is changed by a restore only. */
const imaged = Effect.fnUntraced(function*(machine: SimulatedMachine, { image: name, type }: Images) {
  const machines = yield* SimulatedMachines
  const { hostname, os, tag } = machine
  switch (type) {
    case "snapshot_create":
    case "backup_create":
      yield* machines.addImage({ tag, name, os, hostname, sizeBytes: imageBytes(machine, name) })
      return machine
    case "snapshot_delete":
    case "backup_delete":
      yield* machines.removeImage(tag, name)
      return machine
    case "snapshot_restore":
    case "backup_restore":
      return yield* restored(machine, name)
  }
})

/** The machine after an operation that neither makes nor ends it. */
const after = (
  machine: SimulatedMachine,
  operation: Exclude<Operation, { readonly type: "provision" | "terminate" }>
): Effect.Effect<SimulatedMachine, Rejected, SimulatedMachines> => {
  switch (operation.type) {
    case "start":
    case "restart":
      return Effect.succeed({ ...machine, power: "on", bootMode: operation.bootMode })
    case "stop":
      return Effect.succeed({ ...machine, power: "off" })
    case "reinstall":
      return reinstalled(machine, operation)
    case "resize":
      return Effect.succeed({ ...machine, plan: operation.plan, specs: operation.specs })
    case "set_hostname":
      return Effect.succeed({ ...machine, hostname: operation.hostname })
    case "set_rdns":
      return Effect.as(
        Effect.flatMap(SimulatedMachines, ({ setPtr }) => setPtr(machine.tag, operation.ip, operation.ptr)),
        machine
      )
    case "iso_mount":
      return Effect.succeed({ ...machine, iso: operation.iso })
    case "iso_unmount":
      return Effect.succeed({ ...machine, iso: null })
    case "rescue_enter":
      return Effect.succeed({ ...machine, bootMode: "rescue" })
    case "rescue_exit":
      return Effect.succeed({ ...machine, bootMode: "disk" })
    case "reset_password": // nobody logs in here: the password is not kept
      return Effect.succeed(machine)
    default:
      return imaged(machine, operation)
  }
}

/** Operations after which the machine has booted anew. */
const BOOTS: ReadonlySet<string> = new Set(["restart", "reinstall", "snapshot_restore", "backup_restore"])

/** Does what an order says to the machine, if there is one. Runs in the transaction that accepts the order. */
export const apply = Effect.fnUntraced(
  function*(order: DriverRequest, machine: SimulatedMachine | undefined, at: number) {
    const { key, operation, tag } = order
    const machines = yield* SimulatedMachines
    if (operation.type === "terminate") return yield* machines.remove(tag)
    if (operation.type === "provision") {
      // One that is there already was accepted so long ago that its key is forgotten.
      return machine === undefined ? yield* build(order, operation, at) : undefined
    }
    if (machine === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
    const changed = yield* after(machine, operation)
    yield* machines.save({ ...changed, operation: key })
    const booted = changed.power === "on" && BOOTS.has(operation.type)
    if (booted || changed.power !== machine.power) yield* note(tag, changed.power, at)
  }
)
