/** The simulated upstream's own store. It lies in the same database, so that a restart keeps the machines. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export const DEPLOY_MODES = ["instant", "after_ms", "after_polls"] as const
export type DeployMode = typeof DEPLOY_MODES[number]

/** When a deployment counts as finished; holds for those under way, too. */
export interface DeploySetting {
  readonly mode: DeployMode
  /** Milliseconds, or number of reads of the instance; not used by `instant`. */
  readonly value: number
}

export interface SimulatedMachine {
  /** `sim-<id>` is the provider id. */
  readonly id: number
  readonly tag: string
  readonly hostname: string
  readonly os: string
  readonly plan: string
  readonly node: string
  readonly power: "on" | "off"
  /** Place in the address pool, from 0; unique among the machines there are. */
  readonly address: number
  /** Key of the operation it accepted last. */
  readonly operation: string
}

export interface SimulatedOperation {
  readonly key: string
  readonly tag: string
  readonly type: string
  readonly acceptedAt: number
}

export class SimulatedMachines extends Context.Service<SimulatedMachines, {
  readonly find: (tag: string) => Effect.Effect<SimulatedMachine | undefined>
  readonly insert: (machine: Omit<SimulatedMachine, "id">) => Effect.Effect<void>
  /** Stores what can change: hostname, power, operation. */
  readonly save: (machine: SimulatedMachine) => Effect.Effect<void>
  readonly setPtr: (tag: string, ip: string, ptr: string) => Effect.Effect<void>
  readonly ptr: (ip: string) => Effect.Effect<string | undefined>
  /** With its PTR records and its count of reads. */
  readonly remove: (tag: string) => Effect.Effect<void>
  /** A free place below `size`; undefined when the pool is used up. */
  readonly freeAddress: (size: number) => Effect.Effect<number | undefined>
  readonly operation: (key: string) => Effect.Effect<SimulatedOperation | undefined>
  readonly accept: (operation: SimulatedOperation) => Effect.Effect<void>
  /** Forgets operations that were accepted before a moment. */
  readonly forget: (before: number) => Effect.Effect<void>
  /** How often the instance was read before it was deployed. */
  readonly polls: (tag: string) => Effect.Effect<number>
  readonly countPoll: (tag: string) => Effect.Effect<void>
  /** Undefined until one was set. */
  readonly deploy: Effect.Effect<DeploySetting | undefined>
  readonly setDeploy: (setting: DeploySetting) => Effect.Effect<void>
}>()("pulumi-vps/service/SimulatedMachines") {}
