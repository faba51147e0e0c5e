/** The simulated upstream's own store. It lies in the same database, so that a restart keeps the machines. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BootMode, Power } from "../domain/InstanceStatus.ts"

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
  /** JSON text of the plan's specs. */
  readonly specs: string | null
  readonly node: string
  readonly power: Power
  /** What the next boot boots. */
  readonly bootMode: BootMode
  /** File name of what is in the drive. */
  readonly iso: string | null
  /** The key that logs in as root. */
  readonly sshKey: string | null
  readonly createdAt: number
  /** Place in the address pool, from 0; unique among the machines there are. */
  readonly address: number
  /** Key of the operation it accepted last. */
  readonly operation: string
}

export interface SimulatedOperation {
  readonly key: string
  readonly tag: string
  readonly type: string
  /** Name of the image that it makes, changes or brings back. */
  readonly subject: string | null
  readonly acceptedAt: number
  /** It gave way to another operation. */
  readonly abandoned: boolean
}

/** A snapshot or backup. */
export interface SimulatedImage {
  readonly tag: string
  readonly name: string
  readonly os: string
  readonly hostname: string
  readonly sizeBytes: number
}

/** The machine was switched, or booted anew when it was on before. */
export interface SimulatedPower {
  readonly at: number
  readonly power: Power
}

export class SimulatedMachines extends Context.Service<SimulatedMachines, {
  readonly find: (tag: string) => Effect.Effect<SimulatedMachine | undefined>
  readonly insert: (machine: Omit<SimulatedMachine, "id">) => Effect.Effect<void>
  /** Stores all that can change: everything but id, tag, node, address and createdAt. */
  readonly save: (machine: SimulatedMachine) => Effect.Effect<void>
  readonly setPtr: (tag: string, ip: string, ptr: string) => Effect.Effect<void>
  readonly ptr: (ip: string) => Effect.Effect<string | undefined>
  /** With its PTR records, its images, its history and its count of reads. */
  readonly remove: (tag: string) => Effect.Effect<void>
  /** A free place below `size`; undefined when the pool is used up. */
  readonly freeAddress: (size: number) => Effect.Effect<number | undefined>
  readonly operation: (key: string) => Effect.Effect<SimulatedOperation | undefined>
  /** Deployments that are the last operation of their machine. */
  readonly deployments: Effect.Effect<ReadonlyArray<SimulatedOperation>>
  readonly accept: (operation: SimulatedOperation) => Effect.Effect<void>
  /** Whatever its machine accepted last is done, for good. */
  readonly release: (tag: string) => Effect.Effect<void>
  /** The operation gave way: it will never be done. */
  readonly abandon: (key: string) => Effect.Effect<void>
  readonly image: (tag: string, name: string) => Effect.Effect<SimulatedImage | undefined>
  /** Replaces one of the same name. */
  readonly addImage: (image: SimulatedImage) => Effect.Effect<void>
  readonly removeImage: (tag: string, name: string) => Effect.Effect<void>
  /** Notes that a machine was switched, and forgets what was over before a moment. */
  readonly notePower: (tag: string, change: SimulatedPower, before: number) => Effect.Effect<void>
  /** When it was switched, oldest first. */
  readonly powerHistory: (tag: string) => Effect.Effect<ReadonlyArray<SimulatedPower>>
  /** Forgets operations that were accepted before a moment. */
  readonly forget: (before: number) => Effect.Effect<void>
  /** How often the instance was read before it was deployed. */
  readonly polls: (tag: string) => Effect.Effect<number>
  readonly countPoll: (tag: string) => Effect.Effect<void>
  /** Undefined until one was set. */
  readonly deploy: Effect.Effect<DeploySetting | undefined>
  readonly setDeploy: (setting: DeploySetting) => Effect.Effect<void>
}>()("pulumi-vps/service/SimulatedMachines") {}
