/** The use of hosts now, from the newest samples of their instances: hosts promise more than that. */
import * as Effect from "effect/Effect"
import { FINEST_STEP_SECONDS, type Sample } from "../domain/Metrics.ts"
import { MachineMonitor } from "../instances/Monitoring.ts"
import { Hosts } from "../persistence/Hosts.ts"
import { Instances } from "../persistence/Instances.ts"
import type { Reservation } from "../persistence/Reservations.ts"

/** Long enough for the sample of an instance on a busy host. */
const WINDOW = { seconds: 6 * FINEST_STEP_SECONDS, stepSeconds: FINEST_STEP_SECONDS }

/** Samples that are read at the same time. */
const CONCURRENCY = 8

const PERCENT = 100

/** The newest sample of an instance that runs; undefined without one, and if the upstream does not answer. */
const newest = Effect.fnUntraced(function*({ instanceId }: Reservation) {
  const instance = yield* (yield* Instances).find(instanceId)
  if (instance === undefined || instance.providerId === null || instance.power === "off") return undefined
  const { providerId, tag } = instance
  const samples = yield* Effect.orElseSucceed((yield* MachineMonitor).metrics({ providerId, tag }, WINDOW), () => [])
  return samples.at(-1)
})

interface Measured extends Pick<Reservation, "size"> {
  readonly sample: Sample
}

const sum = (measured: ReadonlyArray<Measured>, value: (one: Measured) => number): number =>
  measured.reduce((total, one) => total + value(one), 0)

/** By name of the host. */
export const hostUse = Effect.gen(function*() {
  const hosts = yield* Hosts
  return yield* Effect.forEach(yield* hosts.list, ({ id, name }) =>
    Effect.gen(function*() {
      const reservations = yield* hosts.reservationsOn(id)
      const found = yield* Effect.forEach(
        reservations,
        (reservation) => Effect.map(newest(reservation), (sample) => ({ size: reservation.size, sample })),
        { concurrency: CONCURRENCY }
      )
      const measured = found.flatMap(({ sample, size }) => sample === undefined ? [] : [{ sample, size }])
      return {
        name,
        instances: reservations.length,
        measured: measured.length,
        cpus: sum(measured, ({ sample, size }) => size.cpus * sample.cpuPercent / PERCENT),
        memory_bytes: sum(measured, ({ sample }) => sample.memoryBytes)
      }
    }))
})
