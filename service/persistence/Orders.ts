/** Orders: purchases with their prices. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Minor } from "../domain/Money.ts"
import { columns, selectAll, selectOne, update, updateOne } from "./Columns.ts"
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

/** A new price for the existing orders of a plan. */
export interface PriceChange {
  readonly planId: number
  readonly price: Minor
  /** It applies to periods that begin at this moment or later, in epoch milliseconds. */
  readonly from: number
}

export interface Repriceable {
  readonly id: number
  /** The plan as it was sold. */
  readonly soldId: number
  readonly instanceId: number
  readonly hostname: string | null
  readonly accountId: number
  /** The owner's address. */
  readonly email: string
  /** The current price. */
  readonly price: Minor
  /** Announced before, for periods that begin at `nextPriceFrom` or later; null if none is. */
  readonly nextPrice: Minor | null
  readonly nextPriceFrom: number | null
  /** The mail that announced it; null if none did, or before mails were stored. */
  readonly mailId: number | null
}

export class Orders extends Context.Service<Orders, {
  readonly insert: (order: NewOrder) => Effect.Effect<number>
  readonly find: (id: number) => Effect.Effect<Order | undefined>
  /** True if the account has an instance with the plan. */
  readonly hasPlan: (accountId: number, planId: number) => Effect.Effect<boolean>
  /** The orders of a plan whose price would change, by account. */
  readonly repriceable: (change: PriceChange) => Effect.Effect<ReadonlyArray<Repriceable>>
  /**
   * Changes the price for periods that begin at a moment or later. False, and nothing is written, unless the order
   * still has the plan and the prices that were read, and its instance is one that is renewed.
   */
  readonly setNextPrice: (order: Repriceable, change: PriceChange) => Effect.Effect<boolean>
  /** Names the mail that announces the price: it applies only once the mail is sent. */
  readonly setAnnouncement: (id: number, mailId: number) => Effect.Effect<void>
  /** The announcement that a mail was to make never was: what was announced before it holds again. */
  readonly withdrawNextPrice: (order: Repriceable, mailId: number) => Effect.Effect<void>
  /** The instances of an account with a plan that have another price announced, also if its mail waits. */
  readonly announced: (accountId: number, planId: number) => Effect.Effect<ReadonlyArray<number>>
  /** The announced price applies from now on. */
  readonly applyNextPrice: (id: number) => Effect.Effect<void>
  /** Changes the plan to one as it was sold, at a price. */
  readonly setPlan: (id: number, soldId: number, price: Minor) => Effect.Effect<void>
  /** False when it was refunded already. */
  readonly markRefunded: (id: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/Orders") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO orders (account_id, plan_id, sold_id, status, config, price, charge, created_at, paid_at)
         VALUES (?1, ?2, ?3, 'paid', ?4, ?5, ?6, ?7, ?7)`
      )
      const repriceable = selectAll(sql, REPRICEABLE, REPRICEABLE_ORDERS)
      const setNextPrice = updateOne(sql, SET_NEXT_PRICE)
      const withdrawNextPrice = update(
        sql,
        `UPDATE orders SET next_price = ?3, next_price_from = ?4, next_price_mail_id = ?5
         WHERE id = ?1 AND next_price_mail_id = ?2`
      )
      const announced = sql.all<[number]>(
        `SELECT i.id FROM instances i JOIN orders o ON o.id = i.order_id
         WHERE i.account_id = ? AND o.plan_id = ? AND o.next_price IS NOT NULL AND ${RENEWED}`
      )
      const withPlan = sql.one<[number]>(
        `SELECT 1 FROM instances i JOIN orders o ON o.id = i.order_id
         WHERE i.account_id = ? AND i.lifecycle <> 'deleted' AND o.plan_id = ? LIMIT 1`
      )
      return {
        insert: (o) => insert(o.accountId, o.planId, o.soldId, o.config, o.price, o.charge, o.at),
        hasPlan: (accountId, planId) => Rows.exists(withPlan(accountId, planId)),
        repriceable: ({ from, planId, price }) => repriceable(planId, price, from),
        setNextPrice: ({ id, nextPrice, nextPriceFrom, soldId }, change) =>
          setNextPrice(id, change.price, change.from, soldId, nextPrice, nextPriceFrom),
        setAnnouncement: update(sql, "UPDATE orders SET next_price_mail_id = ?2 WHERE id = ?1"),
        withdrawNextPrice: ({ id, mailId: before, nextPrice, nextPriceFrom }, mailId) =>
          withdrawNextPrice(id, mailId, nextPrice, nextPriceFrom, before),
        announced: (accountId, planId) => Rows.column(announced(accountId, planId)),
        applyNextPrice: update(sql, `UPDATE orders SET price = next_price, ${WITHOUT_NEXT_PRICE} WHERE id = ?1`),
        find: selectOne(sql, ORDER, "FROM orders WHERE id = ?"),
        setPlan: update(
          sql,
          `UPDATE orders SET sold_id = ?2, price = ?3, plan_id = (SELECT plan_id FROM sold_plans WHERE id = ?2),
             ${WITHOUT_NEXT_PRICE} WHERE id = ?1`
        ),
        markRefunded: updateOne(sql, "UPDATE orders SET status = 'refunded' WHERE id = ? AND status = 'paid'")
      }
    })
  )
}

const WITHOUT_NEXT_PRICE = "next_price = NULL, next_price_from = NULL, next_price_mail_id = NULL"

const ORDER = columns<Order>({
  id: "id",
  accountId: "account_id",
  planId: "plan_id",
  soldId: "sold_id",
  status: "status",
  price: "price",
  charge: "charge"
})

/** False for a price whose mail was refused, or withdrawn. */
const IS_ANNOUNCED = `NOT EXISTS (
  SELECT 1 FROM mails m WHERE m.id = o.next_price_mail_id AND m.sent_at IS NULL AND m.due_at IS NULL)`

/** The announced price of an order, once its owner has the mail; NULL if there is none. */
export const INFORMED_PRICE = `CASE WHEN NOT EXISTS (
  SELECT 1 FROM mails m WHERE m.id = o.next_price_mail_id AND m.sent_at IS NULL) THEN o.next_price END`

const REPRICEABLE = columns<Repriceable>({
  id: "o.id",
  soldId: "o.sold_id",
  instanceId: "i.id",
  hostname: "i.hostname",
  accountId: "i.account_id",
  email: "a.email",
  price: "o.price",
  nextPrice: `CASE WHEN ${IS_ANNOUNCED} THEN o.next_price END`,
  nextPriceFrom: `CASE WHEN ${IS_ANNOUNCED} THEN o.next_price_from END`,
  mailId: `CASE WHEN ${IS_ANNOUNCED} THEN o.next_price_mail_id END`
})

/** The instances that periods are charged for. */
const RENEWED = "i.lifecycle IN ('pending', 'active', 'suspended', 'expired') AND i.terminate_at IS NULL"

const SET_NEXT_PRICE = `UPDATE orders AS o SET next_price = ?2, next_price_from = ?3, next_price_mail_id = NULL
  WHERE id = ?1 AND sold_id = ?4
    AND CASE WHEN ${IS_ANNOUNCED} THEN o.next_price END IS NOT DISTINCT FROM ?5
    AND CASE WHEN ${IS_ANNOUNCED} THEN o.next_price_from END IS NOT DISTINCT FROM ?6
    AND EXISTS (SELECT 1 FROM instances i WHERE i.order_id = o.id AND ${RENEWED})`

/** Without those that have the price, or have it announced for the moment. */
const REPRICEABLE_ORDERS = `FROM orders o JOIN instances i ON i.order_id = o.id JOIN accounts a ON a.id = i.account_id
  WHERE o.plan_id = ?1 AND ${RENEWED}
    AND CASE WHEN o.next_price IS NOT NULL AND ${IS_ANNOUNCED} THEN o.next_price <> ?2 OR o.next_price_from <> ?3
      ELSE o.price <> ?2 END
  ORDER BY i.account_id, i.id`
