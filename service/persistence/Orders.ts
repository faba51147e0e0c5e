/** Orders: purchases with their prices. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Minor } from "../domain/Money.ts"
import { columns, selectOne, update, updateOne } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

export interface Order {
  readonly id: number
  readonly accountId: number
  readonly planId: number
  /** The plan as it was sold. */
  readonly soldId: number
  readonly status: "paid" | "refunded"
  /** Price of a period, gross: the plan's list price when it was ordered or resized to, until it is repriced. */
  readonly price: Minor
  /** The amount that the wallet paid. */
  readonly charge: Minor
}

export interface NewOrder extends Omit<Order, "id" | "status"> {
  /** JSON text of the configuration that was ordered, without secrets. */
  readonly config: string
  readonly at: number
}

export class Orders extends Context.Service<Orders, {
  readonly insert: (order: NewOrder) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Order | undefined>
  /** True if the account has an instance with the plan. */
  readonly hasPlan: (accountId: number, planId: number) => Effect.Effect<boolean>
  /** Changes the plan to one as it was sold, at a price. */
  readonly setPlan: (id: number, soldId: number, price: Minor) => Effect.Effect<void>
  /** False when it was refunded already. */
  readonly markRefunded: (id: number) => Effect.Effect<boolean>
}>()("pulumi-vps/service/Orders") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO orders (account_id, plan_id, sold_id, status, config, price, charge, created_at, paid_at)
         VALUES (?1, ?2, ?3, 'paid', ?4, ?5, ?6, ?7, ?7)`
      )
      const withPlan = sql.one<[number]>(
        `SELECT 1 FROM instances i JOIN orders o ON o.id = i.order_id
         WHERE i.account_id = ? AND i.lifecycle <> 'deleted' AND o.plan_id = ? LIMIT 1`
      )
      return {
        insert: (o) => insert(o.accountId, o.planId, o.soldId, o.config, o.price, o.charge, o.at),
        hasPlan: (accountId, planId) => Rows.exists(withPlan(accountId, planId)),
        find: selectOne(sql, ORDER, "FROM orders WHERE id = ?"),
        setPlan: update(
          sql,
          `UPDATE orders SET sold_id = ?2, price = ?3, plan_id = (SELECT plan_id FROM sold_plans WHERE id = ?2)
           WHERE id = ?1`
        ),
        markRefunded: updateOne(sql, "UPDATE orders SET status = 'refunded' WHERE id = ? AND status = 'paid'")
      }
    })
  )
}

const ORDER = columns<Order>({
  id: "id",
  accountId: "account_id",
  planId: "plan_id",
  soldId: "sold_id",
  status: "status",
  price: "price",
  charge: "charge"
})
