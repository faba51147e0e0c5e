/**
 * Live status and metrics of an instance, requested from the upstream; none of it is stored here. They are requested
 * once, with a timeout that a waiting caller accepts.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import { UpstreamFailed } from "../domain/Errors.ts"
import { type MetricsRange, RESOLUTIONS, type Sample } from "../domain/Metrics.ts"
import { Driver, type Fault, type LiveState, type MachineRef, Unavailable } from "../provisioning/Driver.ts"
import type { LiveStatus, Metrics, MetricsSample } from "@pulumi-vps/contract/Monitoring"
import { toTimestamp } from "../domain/Timestamp.ts"
import type { Caller } from "../domain/Caller.ts"
import { statusOf } from "../domain/InstanceMachine.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { findOwn } from "./Admission.ts"
import { toRecord as toTaskRecord } from "./Read.ts"

export class MachineMonitor extends Context.Service<MachineMonitor, {
  readonly inspect: (machine: MachineRef) => Effect.Effect<LiveState, UpstreamFailed>
  /** One sample for each step that ended within the last `seconds`, oldest first. */
  readonly metrics: (
    machine: MachineRef,
    resolution: { readonly seconds: number; readonly stepSeconds: number }
  ) => Effect.Effect<ReadonlyArray<Sample>, UpstreamFailed>
  /** The PTR record of an address; undefined if there is none. */
  readonly ptr: (ip: string) => Effect.Effect<string | undefined, UpstreamFailed>
}>()("@pulumi-vps/service/MachineMonitor") {
  static readonly layer = Layer.effect(this, Effect.suspend(() => make))
}

const MILLIS = 1_000

const make = Effect.gen(function*() {
  const driver = yield* Driver
  const { UPSTREAM_CALL_MILLIS } = yield* Limits
  const call = <A>(operation: string, request: Effect.Effect<A, Fault>): Effect.Effect<A, UpstreamFailed> =>
    Effect.timeoutOrElse(request, {
      duration: UPSTREAM_CALL_MILLIS,
      orElse: () => Effect.fail(new Unavailable({ reason: "it did not respond in time" }))
    }).pipe(Effect.mapError(({ reason }) => new UpstreamFailed({ operation, reason, outcome: "unchanged" })))
  return MachineMonitor.of({
    inspect: (machine) => call("status", driver.inspect(machine)),
    metrics: (machine, { seconds, stepSeconds }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const window = { stepSeconds, from: now - seconds * MILLIS, to: now }
        return call("metrics", driver.metrics(machine, window))
      }),
    ptr: (ip) => driver.ptr === undefined ? Effect.succeed(undefined) : call("reverse DNS", driver.ptr(ip))
  })
})

const toRecord = (sample: Sample): typeof MetricsSample.Encoded => ({
  at: toTimestamp(sample.at),
  cpu_percent: sample.cpuPercent,
  memory_bytes: sample.memoryBytes,
  memory_total_bytes: sample.memoryTotalBytes,
  disk_read_bytes_per_second: sample.diskReadBytesPerSecond,
  disk_write_bytes_per_second: sample.diskWriteBytesPerSecond,
  network_rx_bytes_per_second: sample.networkRxBytesPerSecond,
  network_tx_bytes_per_second: sample.networkTxBytesPerSecond
})

/** An instance that is not deployed yet has no machine. */
const NO_MACHINE: LiveState = { power: "off", uptimeSeconds: 0, sample: null }

const inspect = Effect.fnUntraced(function*({ providerId, tag }: StoredInstance) {
  return providerId === null ? NO_MACHINE : yield* (yield* MachineMonitor).inspect({ providerId, tag })
})

/** Null where the category has no snapshots. */
const snapshotUse = Effect.fnUntraced(function*({ category, id }: StoredInstance) {
  if (!isVirtual(category)) return null
  return { used: yield* (yield* Snapshots).used(id), quota: (yield* Limits).SNAPSHOTS_MAX }
})

/** Fails with `InstanceNotFound`, or `UpstreamFailed` when the upstream does not answer. */
export const liveStatus = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const live = yield* inspect(yield* findOwn(caller, instanceId))
  // Read after the upstream has responded, which may have taken a while.
  const instance = yield* findOwn(caller, instanceId)
  const task = yield* (yield* Tasks).open(instanceId)
  return {
    instance_id: instance.id,
    status: statusOf(instance, task?.status === "running"),
    power: live.power,
    paused: live.paused ?? null,
    boot_mode: instance.bootMode,
    booted: live.booted ?? instance.booted,
    iso_id: instance.isoId,
    task: task === undefined ? null : toTaskRecord(task),
    snapshots: yield* snapshotUse(instance),
    uptime_seconds: live.uptimeSeconds,
    sample: live.sample === null ? null : toRecord(live.sample)
  } satisfies typeof LiveStatus.Encoded
})

/** Samples of a range, oldest first. Fails like `liveStatus`. */
export const metrics = Effect.fnUntraced(function*(caller: Caller, instanceId: number, range: MetricsRange) {
  const { providerId, tag } = yield* findOwn(caller, instanceId)
  const resolution = RESOLUTIONS[range]
  const samples = providerId === null ? [] : yield* (yield* MachineMonitor).metrics({ providerId, tag }, resolution)
  return {
    range,
    step_seconds: resolution.stepSeconds,
    samples: samples.map(toRecord)
  } satisfies typeof Metrics.Encoded
})

/** The PTR records of the instance's addresses. Fails like `liveStatus`. */
export const ptrRecords = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const { ipv4, ipv6 } = yield* findOwn(caller, instanceId)
  const monitor = yield* MachineMonitor
  const addresses = [ipv4, ipv6].filter((ip) => ip !== null)
  return yield* Effect.forEach(
    addresses,
    (ip) => Effect.map(monitor.ptr(ip), (ptr) => ({ ip, ptr: ptr ?? null })),
    { concurrency: "unbounded" }
  )
})
