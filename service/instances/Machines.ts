/** What use cases ask of the machines themselves, now. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UpstreamFailed } from "../domain/Errors.ts"
import type { Power } from "../domain/InstanceStatus.ts"
import type { Sample } from "../domain/Metrics.ts"

/** An instance that has a machine. */
export interface Deployed {
  readonly id: number
  readonly providerId: string
}

/** What a machine does right now. */
export interface LiveMachine {
  readonly power: Power
  readonly uptimeSeconds: number
  /** Null while nothing has been measured. */
  readonly sample: Sample | null
}

/** Each asks the upstream once, and fails when it does not answer. */
export class Machines extends Context.Service<Machines, {
  readonly inspect: (instance: Deployed) => Effect.Effect<LiveMachine, UpstreamFailed>
  /** One sample for each step that ended within the last `seconds`, oldest first. */
  readonly metrics: (
    instance: Deployed,
    resolution: { readonly seconds: number; readonly stepSeconds: number }
  ) => Effect.Effect<ReadonlyArray<Sample>, UpstreamFailed>
}>()("pulumi-vps/service/Machines") {}
