/** The drivers' contract on real machines: on a libvirt host in namespaces, with a guest that boots in 5 s. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, describe, vi } from "vitest"
import { Limits } from "#service/config/Limits"
import type { Host as HostRow } from "#service/persistence/Hosts"
import { type ConsoleAddress, Driver, type DriverRequest } from "#service/provisioning/Driver"
import * as Libvirt from "#service/provisioning/drivers/libvirt/Libvirt"
import * as MetricsFiles from "#service/persistence/metrics/MetricsFiles"
import { Places } from "#service/provisioning/drivers/libvirt/Places"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { Sessions } from "#service/provisioning/drivers/libvirt/Sessions"
import { openSession } from "#service/provisioning/drivers/libvirt/Session"
import { storeVolume } from "#service/provisioning/drivers/libvirt/Volumes"
import { driverContract } from "../provisioning/contract.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { makeGuest } from "./Guest.ts"
import { greetingAt } from "./Vnc.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { saveMachine } from "./SavedMachine.ts"

/** Booting takes seconds of real time, while the clock of the tests advances with each poll. */
const LIMITS = { ...DEFAULT_LIMITS, LIBVIRT_SHUTDOWN_MILLIS: 5_000, LIBVIRT_AGENT_MILLIS: 300_000 }

const SIZE = { cpus: 1, memoryMib: 192, diskGib: 1 }

const IMAGES = new Map(
  [
    ["debian-12", { kind: "disk", volume: "image-debian-12.qcow2" }],
    ["rescue", { kind: "iso", volume: "image-rescue.iso" }],
    ["rescue.iso", { kind: "iso", volume: "image-rescue.iso" }]
  ] as const
)

describe.skipIf(noHosts !== undefined)(`on libvirt${reason}`, () => {
  vi.setConfig({ testTimeout: 400_000 })
  let host: Host
  let row: HostRow
  const submitted = new Map<string, DriverRequest>()
  let driver: Driver["Service"] | undefined
  /** Most tests begin with this machine. The first one builds it, and the others bring it back. */
  const built = { key: "build-instance-1", tag: "instance-1" }
  let bringBack: (() => void) | undefined

  beforeAll(async () => {
    const guest = makeGuest()
    host = startHost("alpha")
    const capacity = { cpus: 8, memoryMib: 8_192, diskGib: 100 }
    const place = { name: "alpha", uri: `unix:${host.socket}`, certificates: null, pool: "default", bridge: "br0" }
    const own = { sharedStorage: null, unreachableSince: null }
    row = { ...place, id: 1, dataCentreId: 1, accelerator: "qemu", state: "active", capacity, used: capacity, ...own }
    const session = openSession(row.uri, null, LIMITS)
    const pool = `<pool type="dir"><name>default</name><target><path>${host.folder}/images</path></target></pool>`
    const upload = (name: string, path: string) => {
      const content = readFileSync(path)
      return storeVolume(session, "default", { name, bytes: content.length, data: () => [content] })
    }
    await Effect.runPromise(
      session.slow(PROCEDURES.poolCreate, [pool, 0]).pipe(
        Effect.andThen(upload("image-debian-12.qcow2", guest.disk)),
        Effect.andThen(upload("image-rescue.iso", guest.rescue))
      )
    )
    session.close()
  })
  afterAll(() => host.stop())

  const places = Layer.sync(Places, () =>
    Places.of({
      of: (tag) => {
        const address = `203.0.113.${10 + Number(tag.split("-")[1])}`
        const ipv6 = { ipv6: `2001:db8::1:${tag.split("-")[1]}`, ipv6Gateway: "2001:db8::1", ipv6Prefix: 64 }
        const assignment = { address, gateway: "203.0.113.1", prefix: 24, ...ipv6 }
        return Effect.succeed({ host: row, size: SIZE, assignment, fenced: null })
      },
      hosts: Effect.sync(() => [row]),
      image: (hostId, slug) => {
        const image = IMAGES.get(slug as "rescue")
        return Effect.succeed(image && { ...image, hostId, slug, sha256: "", createdAt: 0 })
      }
    }))

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
      Layer.provide(Sessions.layer),
      Layer.provide(
        Layer.mergeAll(places, MetricsFiles.layer(undefined), Layer.succeedContext(Context.make(Limits, LIMITS)))
      ),
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
