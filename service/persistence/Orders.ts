/** Orders: what was bought, for how much. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"

export interface Order {
  readonly id: number
  readonly accountId: number
  readonly planId: number
  readonly status: "paid" | "refunded"
  /** List price of the plan when it was ordered or resized to, gross. */
  readonly price: Minor
  /** What the wallet paid. */
  readonly charge: Minor
}

export interface NewOrder extends Omit<Order, "id" | "status"> {
  /** JSON text of what was ordered, without secrets. */
  readonly config: string
  readonly at: number
}

export class Orders extends Context.Service<Orders, {
  readonly insert: (order: NewOrder) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Order | undefined>
  /** Another plan from now on, at its list price. */
  readonly setPlan: (id: number, planId: number, price: Minor) => Effect.Effect<void>
  /** False when it was refunded already. */
  readonly markRefunded: (id: number) => Effect.Effect<boolean>
}>()("pulumi-vps/service/Orders") {}
