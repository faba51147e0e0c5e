/**
 * Machines that exist in the database only. What an operation changes is written when it is accepted, together with
 * its key; only its end is told later. So a restart loses nothing, and a repeated key changes nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SIMULATED_KEY_RETENTION_MILLIS } from "../../../Limits.ts"
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
  type Machine,
  type NewMachine,
  type OperationType,
  type Order,
  Rejected,
  type Running,
  Unavailable
} from "../../Driver.ts"
import { ipv4At, ipv6Of, nodeAt, POOL_SIZE, providerIdOf } from "./Addresses.ts"
import { DeployClock, layer as deployClock } from "./DeployClock.ts"

const CAPABILITIES: ReadonlySet<OperationType> = new Set<OperationType>([
  "provision",
  "start",
  "stop",
  "restart",
  "set_hostname",
  "set_rdns",
  "terminate"
])

const toMachine = (machine: SimulatedMachine): Machine => ({
  providerId: providerIdOf(machine),
  tag: machine.tag,
  ipv4: ipv4At(machine.address),
  ipv6: ipv6Of(machine.id),
  node: machine.node,
  hostname: machine.hostname,
  power: machine.power
})

const build = Effect.fnUntraced(function*(order: Order, { dataCentre, hostname, os, plan }: NewMachine) {
  const machines = yield* SimulatedMachines
  const address = yield* machines.freeAddress(POOL_SIZE)
  if (address === undefined) return yield* new Rejected({ reason: "no IPv4 address is left" })
  const node = nodeAt(dataCentre, address)
  yield* machines.insert({ tag: order.tag, hostname, os, plan, node, power: "on", address, operation: order.key })
})

/** What an operation makes of an existing machine. */
const change = Effect.fnUntraced(function*(machine: SimulatedMachine, { key, operation, tag }: Order) {
  const machines = yield* SimulatedMachines
  switch (operation.type) {
    case "provision": // accepted so long ago that its key is forgotten
      return
    case "terminate":
      return yield* machines.remove(tag)
    case "set_hostname":
      return yield* machines.save({ ...machine, operation: key, hostname: operation.hostname })
    case "set_rdns":
      yield* machines.save({ ...machine, operation: key })
      return yield* machines.setPtr(tag, operation.ip, operation.ptr)
    case "start":
    case "restart":
      return yield* machines.save({ ...machine, operation: key, power: "on" })
    case "stop":
      return yield* machines.save({ ...machine, operation: key, power: "off" })
  }
})

const apply = Effect.fnUntraced(function*(order: Order, machine: SimulatedMachine | undefined) {
  const { operation } = order
  if (machine !== undefined) return yield* change(machine, order)
  if (operation.type === "provision") return yield* build(order, operation)
  // What is gone already need not be terminated.
  if (operation.type !== "terminate") return yield* new Rejected({ reason: "the machine does not exist" })
})

/** A machine does one thing at a time. */
const assertIdle = Effect.fnUntraced(function*(machine: SimulatedMachine | undefined) {
  if (machine === undefined) return
  const current = yield* (yield* SimulatedMachines).operation(machine.operation)
  if (current === undefined || (yield* (yield* DeployClock).remaining(current)) === "nothing") return
  return yield* new Busy({ reason: `the machine is busy (${current.type})` })
})

/** Runs in one transaction. */
const accept = Effect.fnUntraced(function*(order: Order) {
  const machines = yield* SimulatedMachines
  const known = yield* machines.operation(order.key)
  if (known !== undefined) return known
  const machine = yield* machines.find(order.tag)
  // Taking a half-built machine down is what termination is for.
  if (order.operation.type !== "terminate") yield* assertIdle(machine)
  yield* apply(order, machine)
  const acceptedAt = yield* Clock.currentTimeMillis
  const accepted = { key: order.key, tag: order.tag, type: order.operation.type, acceptedAt }
  yield* machines.accept(accepted)
  yield* machines.forget(acceptedAt - SIMULATED_KEY_RETENTION_MILLIS)
  return accepted satisfies SimulatedOperation
})

const statusOf = Effect.fnUntraced(function*(operation: SimulatedOperation) {
  const clock = yield* DeployClock
  const mark = yield* clock.changed.mark
  const remaining = yield* clock.remaining(operation)
  const changed = clock.changed.after(mark)
  if (remaining === "reads") return { state: "running", progress: 0, again: changed } satisfies Running
  if (remaining !== "nothing") {
    const again = Effect.raceFirst(Effect.sleep(remaining.millis), changed)
    return { state: "running", progress: remaining.progress, again } satisfies Running
  }
  const machine = yield* (yield* SimulatedMachines).find(operation.tag)
  if (machine === undefined && operation.type !== "terminate") {
    return yield* new Rejected({ reason: "the machine has been terminated" })
  }
  return { state: "done", machine: machine === undefined ? null : toMachine(machine) } satisfies Done
})

const make = Effect.gen(function*() {
  const context = yield* Effect.context<SimulatedMachines | DeployClock>()
  const machines = yield* SimulatedMachines
  const transaction = yield* Transaction
  return Driver.of({
    name: "simulated",
    capabilities: CAPABILITIES,
    submit: (order) =>
      transaction.run(accept(order)).pipe(
        Effect.catchTag("StorageUnavailable", ({ message }) => Effect.fail(new Unavailable({ reason: message }))),
        Effect.flatMap(statusOf),
        Effect.provideContext(context)
      ),
    poll: ({ key }) =>
      Effect.flatMap(machines.operation(key), (operation) =>
        operation === undefined
          ? Effect.fail(new Rejected({ reason: "no such operation" }))
          : statusOf(operation)).pipe(Effect.provideContext(context)),
    find: (tag) => Effect.map(machines.find(tag), (machine) => machine === undefined ? undefined : toMachine(machine))
  })
})

/** The driver, and the clock that says when its operations are done. */
export const layer: Layer.Layer<Driver | DeployClock, never, SimulatedMachines | Transaction> = Layer.effect(
  Driver,
  make
).pipe(Layer.provideMerge(deployClock))
