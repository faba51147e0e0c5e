/** Live status and metrics of an instance, requested from the upstream; none of it is stored here. */
import * as Effect from "effect/Effect"
import type { LiveStatus, Metrics, MetricsSample } from "#contract/Monitoring"
import { toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { statusOf } from "../domain/InstanceMachine.ts"
import { type MetricsRange, RESOLUTIONS, type Sample } from "../domain/Metrics.ts"
import { Limits } from "../config/Limits.ts"
import { isVirtual } from "../persistence/catalogue/Plan.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { Snapshots } from "../persistence/Snapshots.ts"
import { Tasks } from "../persistence/Tasks.ts"
import type { LiveState } from "../provisioning/Driver.ts"
import { findOwn } from "./Admission.ts"
import { toRecord as toTaskRecord } from "./Read.ts"
import { MachineMonitor } from "./MachineMonitor.ts"

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

const inspect = Effect.fnUntraced(function*({ id, providerId }: StoredInstance) {
  return providerId === null ? NO_MACHINE : yield* (yield* MachineMonitor).inspect({ id, providerId })
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
  const { id, providerId } = yield* findOwn(caller, instanceId)
  const resolution = RESOLUTIONS[range]
  const samples = providerId === null ? [] : yield* (yield* MachineMonitor).metrics({ id, providerId }, resolution)
  return {
    range,
    step_seconds: resolution.stepSeconds,
    samples: samples.map(toRecord)
  } satisfies typeof Metrics.Encoded
})
