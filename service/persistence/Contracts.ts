/** The terms under which instances run: until when they are paid for, and what becomes of them then. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import type { Lifecycle, Power } from "../domain/InstanceStatus.ts"

export interface Contract {
  readonly instanceId: number
  readonly accountId: number
  readonly orderId: number
  readonly planId: number
  /** All moments are epoch milliseconds. This one is the anchor of the periods. */
  readonly createdAt: number
  /** The end of what is paid for. */
  readonly expiresAt: number
  readonly autoRenew: boolean
  readonly lifecycle: Lifecycle
  /** Also when it has expired meanwhile: an operator has to lift it. */
  readonly suspended: boolean
  /** The power that it had when it expired; null unless it is expired. */
  readonly resumePower: Power | null
  /** Until when a top-up renews it; null unless it is expired. */
  readonly graceUntil: number | null
  /** Whether an operation is open. */
  readonly busy: boolean
}

/** A question of what falls due: instances with an open operation are left out, until its end. */
export interface Due {
  /** When the first of them falls due, in epoch milliseconds. */
  readonly next: Effect.Effect<number | undefined>
  /** Ids of instances that are due, earliest first. */
  readonly ids: (now: number, limit: number) => Effect.Effect<ReadonlyArray<number>>
}

export class Contracts extends Context.Service<Contracts, {
  readonly find: (instanceId: number) => Effect.Effect<Contract | undefined>
  /** The paid period of an active or suspended instance ends. */
  readonly endings: Due
  /** The grace of an expired instance ends. */
  readonly graceEnds: Due
  /** The account's expired instances that renew by themselves, earliest end first. */
  readonly inGrace: (accountId: number) => Effect.Effect<ReadonlyArray<Contract>>
  /** Paid for until another moment, at a list price: active, or suspended if it was; it is no longer in grace. */
  readonly renew: (contract: Contract, expiresAt: number, price: Minor) => Effect.Effect<void>
  /** Expired, with the power that it has to come back to. */
  readonly expire: (instanceId: number, graceUntil: number) => Effect.Effect<void>
  /** Whether the end of a period charges the next one. */
  readonly setAutoRenew: (instanceId: number, autoRenew: boolean) => Effect.Effect<void>
  readonly setGrace: (instanceId: number, graceUntil: number) => Effect.Effect<void>
  readonly delete: (instanceId: number, at: number) => Effect.Effect<void>
}>()("pulumi-vps/service/Contracts") {}
