/** Instances: how the wire shows them, and the state that operations read and change. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instance } from "#contract/Instance"
import type { BootMode, InstanceState, Lifecycle, Power } from "../domain/InstanceStatus.ts"
import type { Minor } from "../domain/Money.ts"
import type { Account } from "./Accounts.ts"
import type { Plan } from "./Catalogue.ts"

/** An instance that was just paid for, with all that its record shows. */
export interface NewInstance {
  readonly account: Account
  readonly plan: Plan
  readonly orderId: number
  /** The order's; JSON text. */
  readonly config: string
  readonly hostname: string | null
  /** Slug of the image. */
  readonly os: string
  readonly expiresAt: number
  readonly at: number
}

/** What operations need to know. */
export interface StoredInstance extends InstanceState {
  readonly id: number
  readonly accountId: number
  readonly orderId: number
  readonly planId: number
  /** Of the plan. */
  readonly category: string
  /** List price at which the plan was ordered, in minor units. */
  readonly price: Minor
  readonly hostname: string | null
  readonly os: string
  /** What is in the virtual drive. */
  readonly isoId: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly providerId: string | null
  readonly ipv4: string | null
  readonly ipv6: string | null
  readonly providerData: string | null
}

/** What is installed on a machine. */
export interface InstalledSystem {
  /** Slug of the image. */
  readonly os: string
  readonly hostname: string
  /** JSON text: hostname, os, node, ipv6. */
  readonly providerData: string
}

/** What deployment brings. */
export interface Deployment {
  readonly providerId: string
  readonly ipv4: string
  readonly ipv6: string | null
  /** JSON text: hostname, os, node, ipv6. */
  readonly providerData: string
}

export class Instances extends Context.Service<Instances, {
  /** Answers what `show` will answer once its provision is queued: a create need not read again what it wrote. */
  readonly insert: (instance: NewInstance) => Effect.Effect<Instance>
  /** The account's own instance as the wire shows it; undefined when it is deleted, another's, or not there. */
  readonly show: (accountId: number, id: number) => Effect.Effect<Instance | undefined>
  /** Like `show`, but also when it is deleted: a replayed create answers what it bought. */
  readonly showAny: (accountId: number, id: number) => Effect.Effect<Instance | undefined>
  /** The account's instances that are not deleted, by id. */
  readonly list: (accountId: number) => Effect.Effect<ReadonlyArray<Instance>>
  /** Deleted ones too. */
  readonly find: (id: number) => Effect.Effect<StoredInstance | undefined>
  /** Active and powered on from now on. */
  readonly setDeployed: (id: number, deployment: Deployment) => Effect.Effect<void>
  readonly setPower: (id: number, power: Power) => Effect.Effect<void>
  readonly setBootMode: (id: number, bootMode: BootMode) => Effect.Effect<void>
  readonly setSystem: (id: number, system: InstalledSystem) => Effect.Effect<void>
  /** Null empties the drive. */
  readonly setIso: (id: number, isoId: number | null) => Effect.Effect<void>
  readonly setLifecycle: (id: number, lifecycle: Lifecycle) => Effect.Effect<void>
  readonly setHostname: (id: number, hostname: string, providerData: string) => Effect.Effect<void>
}>()("pulumi-vps/service/Instances") {}
