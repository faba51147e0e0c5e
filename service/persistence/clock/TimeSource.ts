/** The source of the service's time. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Reading } from "./ServiceClock.ts"

export interface Source {
  readonly read: Effect.Effect<Reading, StorageUnavailable>
  /** Counts milliseconds monotonically. */
  readonly steady: () => number
}

/** The monotonic clock of this process. */
export const steady = (): number => performance.now()

/** The system's clock, unless the database provides another one. */
export class TimeSource extends Context.Reference<(system: Clock.Clock) => Source>("pulumi-vps/service/TimeSource", {
  defaultValue: () => (system) => ({
    read: Effect.sync(() => ({ millis: system.currentTimeMillisUnsafe(), at: steady() })),
    steady
  })
}) {}
