/** The driver under test of the contract, and helpers of its tests. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { setTimeout } from "node:timers/promises"
import {
  type ConsoleAddress,
  Driver,
  type DriverRequest,
  type Fault,
  type MachineRef,
  type Operation,
  type OperationOf
} from "#service/provisioning/Driver"

export interface Subject {
  readonly name: string
  /** A driver without machines; each use is a new one. */
  readonly layer: () => Layer.Layer<Driver>
  /** Lets the upstream work until every accepted operation is done. */
  readonly finish: Effect.Effect<void>
  /** An image that takes no SSH key; null when every image does. */
  readonly keyless: string | null
  /** True if it stores samples of what machines do. */
  readonly samples: boolean
  /** The first line that a machine's VNC server sends; absent if the driver has no console. */
  readonly greeting?: (address: ConsoleAddress) => Promise<string>
}

export const machine: OperationOf<"provision"> = {
  type: "provision",
  hostname: "web.example.test",
  os: "debian-12",
  plan: "vps-s",
  specs: null,
  dataCenter: "Frankfurt",
  sshPublicKey: null,
  rootPassword: Redacted.make("correct-horse-battery")
}

export const order = (
  key: string,
  operation: Operation,
  tag = "instance-1",
  providerId: string | null = null
): DriverRequest => ({
  key,
  tag,
  providerId,
  operation
})

/** A busy host may report an error for longer than seconds, and the service repeats a call for many minutes. */
const REPEATS_MAX = 30
const REPEAT_MILLIS = 2_000

/** A call that is unavailable now is repeated, as the service does. */
const repeated = <A>(call: Effect.Effect<A, Fault>): Effect.Effect<A, Fault> =>
  call.pipe(
    Effect.tapError((fault) =>
      fault._tag === "Unavailable" ? Effect.promise(() => setTimeout(REPEAT_MILLIS)) : Effect.void
    ),
    Effect.retry({ times: REPEATS_MAX, while: ({ _tag }) => _tag === "Unavailable" })
  )

/** Submits, lets the driver finish, and returns the outcome. */
export const complete = Effect.fnUntraced(function*({ finish }: Subject, each: DriverRequest) {
  const driver = yield* Driver
  yield* repeated(driver.submit(each))
  yield* finish
  const status = yield* repeated(driver.poll(each))
  if (status.state === "running") return assert.fail(`${each.operation.type} is not done`)
  return status
})

export const built = (subject: Subject, tag = "instance-1") =>
  Effect.map(complete(subject, order(`build-${tag}`, machine, tag)), (done) => done.machine!)

export const powerOf = (machine: MachineRef) =>
  Effect.flatMap(Driver, ({ inspect }) => Effect.map(inspect(machine), ({ power }) => power))
