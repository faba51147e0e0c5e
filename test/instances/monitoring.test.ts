/** Live status and metrics: read from the upstream, plausible, and the same for repeated requests. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { LiveStatus, Metrics, METRICS_RANGES } from "#contract/Monitoring"
import { mountIso } from "#service/operations/Isos"
import { liveStatus, metrics } from "#service/instances/Monitoring"
import { operate } from "#service/operations/Power"
import { createSnapshot } from "#service/operations/Snapshots"
import { Driver, Unavailable } from "#service/provisioning/Driver"
import { IN_STATE, operationTime, running } from "../support/instances.ts"
import { buy, elapse, owner, serviceLayer, settle } from "../support/service.ts"

const HOUR = 3_600_000
const GB = 2 ** 30

describe("the live status", () => {
  it.effect("says what a machine does now", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* mountIso(owner, id, 2)
      yield* operationTime
      yield* createSnapshot(owner, id, "one")
      yield* settle
      const status = yield* liveStatus(owner, id)
      yield* Schema.decodeUnknownEffect(LiveStatus, { onExcessProperty: "error" })(status)
      const { sample, task, ...rest } = status
      assert.deepStrictEqual(rest, {
        instance_id: id,
        status: "running",
        power: "on",
        paused: null,
        boot_mode: "disk",
        booted: "disk",
        iso_id: 2,
        snapshots: { used: 1, quota: 3 },
        uptime_seconds: 1
      })
      assert.deepInclude(task, { type: "snapshot_create", status: "running" })
      assert.isNull(sample, "no step has ended yet")
      yield* elapse(60_000, 10_000)
      const later = yield* liveStatus(owner, id)
      assert.isNull(later.task)
      assert.strictEqual(later.uptime_seconds, 61)
      assert.strictEqual(later.sample!.at, "1970-01-01T00:01:00.000Z")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of a dedicated instance has no snapshots", () =>
    Effect.gen(function*() {
      const status = yield* liveStatus(owner, yield* running(5))
      assert.isNull(status.snapshots)
      yield* Schema.decodeUnknownEffect(LiveStatus, { onExcessProperty: "error" })(status)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(
    [
      ["running", "on", "disk"],
      ["stopped", "off", "disk"],
      ["rescue", "on", "rescue"],
      ["suspended", "on", "disk"],
      ["expired", "on", "disk"],
      ["failed", "on", "disk"]
    ] as const
  )("of an instance that is %s: power %s, boot mode %s", ([state, power, bootMode]) =>
    Effect.gen(function*() {
      const id = yield* IN_STATE[state]
      assert.deepInclude(yield* liveStatus(owner, id), { status: state, power, boot_mode: bootMode, booted: bootMode })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("counts uptime from the last boot", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* elapse(HOUR, 60_000)
      yield* operate(owner, id, "restart")
      yield* elapse(10_000, 1_000)
      assert.isAtMost((yield* liveStatus(owner, id)).uptime_seconds, 10)
      yield* operate(owner, id, "stop")
      yield* operationTime
      assert.deepInclude(yield* liveStatus(owner, id), { power: "off", uptime_seconds: 0 })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of an instance that is not deployed does not call the upstream", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      const status = yield* liveStatus(owner, id)
      assert.deepInclude(status, { status: "pending", power: "off", uptime_seconds: 0, sample: null })
      assert.deepInclude(status.task, { type: "provision" })
      assert.deepStrictEqual((yield* metrics(owner, id, "1h")).samples, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(["status", "metrics"] as const)(
    "%s calls once, fails when the upstream is unavailable, and changes nothing",
    (asked) =>
      Effect.gen(function*() {
        const id = yield* running()
        const driver = yield* Driver
        let asks = 0
        const away = () =>
          Effect.suspend(() => {
            asks++
            return Effect.fail(new Unavailable({ reason: "away" }))
          })
        Object.assign(driver, { inspect: away, metrics: away })
        const call: Effect.Effect<unknown, unknown, Needs> = asked === "status"
          ? liveStatus(owner, id)
          : metrics(owner, id, "1h")
        assert.deepInclude(yield* Effect.flip(call), { _tag: "UpstreamFailed", operation: asked, reason: "away" })
        assert.strictEqual(asks, 1)
        Object.assign(driver, { inspect: () => Effect.never, metrics: () => Effect.never })
        const waiting = yield* Effect.forkChild(Effect.flip(call))
        yield* elapse(31_000, 1_000)
        assert.deepInclude(yield* Fiber.join(waiting), { _tag: "UpstreamFailed", reason: "it did not respond in time" })
      }).pipe(Effect.provide(serviceLayer()))
  )
})

type Needs = Effect.Services<ReturnType<typeof liveStatus>> | Effect.Services<ReturnType<typeof metrics>>

const STEPS = { "1h": 10, "6h": 60, "24h": 300, "7d": 3_600, "30d": 21_600 } as const
/** The instance is 28.5 days old. */
const COUNTS = { "1h": 360, "6h": 360, "24h": 288, "7d": 168, "30d": 114 } as const

describe("metrics", () => {
  it.effect("come in five ranges, each with its step, oldest first, and the same when repeated", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* elapse(28.5 * 24 * HOUR, 6 * HOUR)
      for (const range of METRICS_RANGES) {
        const found = yield* metrics(owner, id, range)
        yield* Schema.decodeUnknownEffect(Metrics, { onExcessProperty: "error" })(found)
        assert.deepInclude(found, { range, step_seconds: STEPS[range] })
        assert.lengthOf(found.samples, COUNTS[range])
        const gaps = found.samples.slice(1).map(({ at }, index) =>
          Date.parse(at) - Date.parse(found.samples[index]!.at)
        )
        assert.isTrue(gaps.every((gap) => gap === STEPS[range] * 1_000))
        assert.deepStrictEqual(yield* metrics(owner, id, range), found)
      }
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("look like a server's: they move, follow the day, and stay within the plan", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* elapse(8 * 24 * HOUR, 6 * HOUR)
      const { samples } = yield* metrics(owner, id, "7d")
      assert.isAbove(new Set(samples.map((sample) => sample.cpu_percent)).size, 100)
      for (const sample of samples) {
        assert.strictEqual(sample.memory_total_bytes, 2 * GB)
        assert.isTrue(sample.memory_bytes > 0 && sample.memory_bytes < 2 * GB)
        assert.isTrue(sample.cpu_percent > 0 && sample.cpu_percent < 100)
        assert.isAbove(sample.network_rx_bytes_per_second, 0)
      }
      const mean = (hours: ReadonlyArray<number>) => {
        const of = samples.filter(({ at }) => hours.includes(new Date(at).getUTCHours()))
        return of.reduce((sum, sample) => sum + sample.cpu_percent, 0) / of.length
      }
      assert.isAbove(mean([13, 14, 15, 16, 17, 18]), mean([1, 2, 3, 4, 5, 6]) + 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of a coarse step are the mean of the fine ones", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* elapse(25 * HOUR, HOUR)
      const fine = (yield* metrics(owner, id, "6h")).samples
      const coarse = (yield* metrics(owner, id, "24h")).samples
      const last = coarse.findLast(({ at }) => Date.parse(at) <= Date.parse(fine.at(-1)!.at))!
      const within = fine.filter(({ at }) =>
        Date.parse(at) <= Date.parse(last.at) && Date.parse(at) > Date.parse(last.at) - 300_000
      )
      assert.lengthOf(within, 5)
      const mean = within.reduce((sum, sample) => sum + sample.cpu_percent, 0) / 5
      assert.closeTo(last.cpu_percent, mean, 0.01)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("are nothing while the machine is off, and begin with it", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* elapse(600_000, 60_000)
      yield* operate(owner, id, "stop")
      yield* elapse(600_000, 60_000)
      const { samples } = yield* metrics(owner, id, "1h")
      assert.strictEqual(samples[0]!.at, "1970-01-01T00:00:10.000Z")
      const idle = samples.filter((sample) => sample.cpu_percent === 0 && sample.network_tx_bytes_per_second === 0)
      assert.isTrue(idle.length >= 58 && idle.length <= 61, `${idle.length}`)
      assert.strictEqual(samples.at(-1)!.memory_bytes, 0)
    }).pipe(Effect.provide(serviceLayer())))
})
