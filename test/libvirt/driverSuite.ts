/** The drivers' contract on real machines: on a libvirt host in namespaces, with a guest that boots in 5 s. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, vi } from "vitest"
import { Limits } from "#service/config/Limits"
import type { Host as HostRow } from "#service/persistence/Hosts"
import { type ConsoleAddress, Driver, type DriverRequest } from "#service/provisioning/Driver"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { RealClock } from "#service/runtime/Time"
import { HostConnections } from "#service/provisioning/drivers/libvirt/HostConnection"
import { driverContract } from "../provisioning/contract.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { greetingAt } from "./Vnc.ts"
import type { Host } from "./Host.ts"
import { placesOn, prepareHost } from "./OneHost.ts"
import { saveMachine } from "./SavedMachine.ts"

/** Booting takes seconds of real time, while the clock of the tests advances with each poll. */
const LIMITS = { ...DEFAULT_LIMITS, LIBVIRT_SHUTDOWN_MILLIS: 5_000, LIBVIRT_AGENT_MILLIS: 300_000 }

const REAL = Effect.runSync(Clock.clockWith(Effect.succeed))

/** `start` starts the host, and `missing` says what this computer lacks for that. */
export const driverSuite = (name: string, start: () => Host, missing: string | undefined) =>
  describe.skipIf(missing !== undefined)(`on ${name}${missing === undefined ? "" : ` (${missing})`}`, () => {
    vi.setConfig({ testTimeout: 400_000 })
    let host: Host
    let row: HostRow
    const submitted = new Map<string, DriverRequest>()
    let driver: Driver["Service"] | undefined
    /** Most tests begin with this machine. The first one builds it, and the others bring it back. */
    const built = { key: "build-instance-1", tag: "instance-1" }
    let bringBack: (() => void) | undefined
    const logged: Array<string> = []

    beforeAll(async () => {
      host = start()
      row = await prepareHost(host)
    })
    afterAll(() => host.stop())
    beforeEach(({ onTestFailed }) => {
      logged.length = 0
      onTestFailed(({ task }) => {
        task.result?.errors?.push({ message: `The log of the driver:\n${logged.join("\n")}` })
      })
    })

    /** Remembers what is submitted, so that it can be polled until it is done. */
    const observed = Layer.effect(
      Driver,
      Effect.map(Driver, (real) => {
        driver = real
        return Driver.of({
          ...real,
          submit: (request) => {
            submitted.set(request.key, request)
            if (request.key === built.key) bringBack?.()
            return real.submit(request)
          }
        })
      })
    )

    /** Removes the machines of the test before. */
    const clean = Layer.effectDiscard(Effect.gen(function*() {
      const { submit } = yield* Driver
      submitted.clear()
      for (const tag of ["instance-1", "instance-2"]) {
        yield* submit({ key: "clean", tag, providerId: null, operation: { type: "terminate" } })
      }
      submitted.clear()
    })).pipe(Layer.orDie)

    const layer = () =>
      clean.pipe(
        Layer.provideMerge(observed),
        Layer.provide(Libvirt.layer({ nameservers: [] })),
        Layer.provide(HostConnections.layer),
        Layer.provide(
          Layer.mergeAll(
            placesOn(() => row),
            MetricsFiles.layer(undefined),
            Layer.succeedContext(Context.make(Limits, LIMITS))
          )
        ),
        // A wait for the daemon must end without an advance of the clock of a test.
        Layer.provideMerge(Layer.succeedContext(Context.make(RealClock, REAL))),
        // The texts of libvirt are in no fault: a test that fails shows them.
        Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
        Layer.fresh
      )

    const finish = Effect.gen(function*() {
      // At least once, because callers also wait for time to pass.
      yield* TestClock.adjust("1 second")
      while (submitted.size > 0) {
        for (const [key, request] of submitted) {
          const isRunning = yield* Effect.match(driver!.poll(request), {
            onSuccess: ({ state }) => state === "running",
            onFailure: ({ _tag }) => _tag !== "Rejected"
          })
          if (!isRunning) submitted.delete(key)
          if (!isRunning && key === built.key) bringBack ??= saveMachine(host, built.tag)
        }
        if (submitted.size === 0) return
        yield* Effect.promise(() => setTimeout(300))
        yield* TestClock.adjust("1 second")
      }
    })

    /** The path is one of the host's mount namespace. */
    const greeting = async (address: ConsoleAddress) =>
      address.kind === "unix" ? greetingAt(`/proc/${host.daemonPid()}/root${address.path}`) : ""

    driverContract({ name: "libvirt", layer, finish, keyless: null, samples: false, greeting })
  })
