/**
 * The interface to the name server that holds the PTR records of machines' addresses, and a driver with it. Each
 * address has a default record from its machine's provisioning on, and none after its termination.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import {
  type Done,
  Driver,
  type DriverRequest,
  type Fault,
  type Machine,
  type Operation,
  Rejected,
  type Status
} from "../Driver.ts"
import { defaultName } from "./ReverseZones.ts"

/** Every operation can be repeated. An address that is in no zone of the server is `Rejected`. */
export class ReverseDns extends Context.Service<ReverseDns, {
  /** The target of an address's record, without the last dot; undefined if there is none. */
  readonly find: (ip: string) => Effect.Effect<string | undefined, Fault>
  /** Replaces the record of an address. */
  readonly set: (ip: string, target: string) => Effect.Effect<void, Fault>
  /** Deletes the record of an address; succeeds if there is none. */
  readonly remove: (ip: string) => Effect.Effect<void, Fault>
}>()("@pulumi-vps/service/ReverseDns") {}

/** A name server that restarts is waited for. */
const RETRY = { times: 3, schedule: Schedule.spaced("1 second") }

const addressesOf = ({ ipv4, ipv6 }: Machine): ReadonlyArray<string> => ipv6 === null ? [ipv4] : [ipv4, ipv6]

const isTransient = ({ _tag }: Fault): boolean => _tag !== "Rejected"

const isSame = (one: string | undefined, other: string): boolean =>
  one?.toLowerCase() === other.replace(/\.$/, "").toLowerCase()

type SetRdns = Operation & { readonly type: "set_rdns" }

/** The parts of the decorated driver. */
interface Parts {
  readonly driver: Driver["Service"]
  readonly rdns: ReverseDns["Service"]
  /** Of default records. */
  readonly domain: string
}

const machineOf = Effect.fnUntraced(function*({ driver }: Parts, { tag }: DriverRequest) {
  const machine = yield* driver.find(tag)
  return machine ?? (yield* new Rejected({ reason: "the machine does not exist" }))
})

const done = (machine: Machine): Done => ({ state: "done", machine, imageBytes: null })

/** A record that cannot be set is not worth the machine, which the customer waits for. */
const setDefault = ({ domain, rdns }: Parts) => (ip: string) =>
  Effect.retry(rdns.set(ip, defaultName(ip, domain)), { ...RETRY, while: isTransient }).pipe(
    Effect.catch(({ reason }) =>
      Effect.logWarning(
        `The default PTR record of ${ip} was not set: ${reason}. Run "vps-service admin rdns check --repair".`
      )
    )
  )

const withDefaults = (parts: Parts) => (status: Status) =>
  status.state === "done" && status.machine !== null
    ? Effect.as(Effect.forEach(addressesOf(status.machine), setDefault(parts), { discard: true }), status)
    : Effect.succeed(status)

/** Before the machine: a crash between both leaves the machine, whose addresses the next attempt finds. */
const removeRecords = Effect.fnUntraced(function*({ driver, rdns }: Parts, { tag }: DriverRequest) {
  const machine = yield* driver.find(tag)
  if (machine === undefined) return
  for (const ip of addressesOf(machine)) {
    const removed = Effect.catchTag(
      rdns.remove(ip),
      "Rejected",
      ({ reason }) =>
        Effect.logWarning(`The PTR record of ${ip} was not deleted: ${reason}. Delete it at the name server.`)
    )
    yield* removed
  }
})

const setRecord = Effect.fnUntraced(function*(parts: Parts, request: DriverRequest, { ip, ptr }: SetRdns) {
  const machine = yield* machineOf(parts, request)
  yield* parts.rdns.set(ip, ptr)
  return done(machine)
})

/** A record that does not have the target was not set, or was set again since. */
const recordedTarget = Effect.fnUntraced(function*(parts: Parts, request: DriverRequest, { ip, ptr }: SetRdns) {
  const machine = yield* machineOf(parts, request)
  return isSame(yield* parts.rdns.find(ip), ptr) ? done(machine) : yield* new Rejected({ reason: "unknown operation" })
})

const decorated = (parts: Parts) => {
  const { driver } = parts
  return Driver.of({
    ...driver,
    capabilities: new Set([...driver.capabilities, "set_rdns"]),
    ptr: parts.rdns.find,
    submit: (request) => {
      const { operation } = request
      if (operation.type === "set_rdns") return setRecord(parts, request, operation)
      if (operation.type === "terminate") return Effect.andThen(removeRecords(parts, request), driver.submit(request))
      const submitted = driver.submit(request)
      return operation.type === "provision" ? Effect.flatMap(submitted, withDefaults(parts)) : submitted
    },
    poll: (request) => {
      const { operation } = request
      if (operation.type === "set_rdns") return recordedTarget(parts, request, operation)
      const polled = driver.poll(request)
      return operation.type === "provision" ? Effect.flatMap(polled, withDefaults(parts)) : polled
    }
  })
}

/** The driver below it, with PTR records; `domain` is the one of default records. */
export const layer = (domain: string): Layer.Layer<Driver, never, Driver | ReverseDns> =>
  Layer.effect(
    Driver,
    Effect.gen(function*() {
      return decorated({ driver: yield* Driver, rdns: yield* ReverseDns, domain })
    })
  )
