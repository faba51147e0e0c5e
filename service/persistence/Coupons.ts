/** Coupons and their redemptions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Coupon } from "../domain/Coupon.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, flag, selectOne, update } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

export interface StoredCoupon extends Coupon {
  readonly id: number
}

export interface NewCoupon extends Omit<Coupon, "uses"> {
  readonly at: number
}

export interface Redemption {
  readonly coupon: StoredCoupon
  readonly accountId: number
  readonly orderId: number
  /** The amount that it took off. */
  readonly discount: Minor
  readonly at: number
}

export const COUPON = columns<StoredCoupon>({
  id: "id",
  code: "code",
  kind: "kind",
  value: "value",
  currency: "currency",
  validFrom: "valid_from",
  validUntil: "valid_until",
  maxUses: "max_uses",
  oncePerAccount: flag("once_per_account"),
  uses: "uses"
})

export class Coupons extends Context.Service<Coupons, {
  readonly add: (coupon: NewCoupon) => Effect.Effect<void>
  /** Codes are case-sensitive. */
  readonly find: (code: string) => Effect.Effect<StoredCoupon | undefined>
  /** True if the account holds a redemption that was not released. */
  readonly redeemedBy: (couponId: number, accountId: number) => Effect.Effect<boolean>
  /** Uses it up once; dies when it is used up already, or by this account: check first, in the same transaction. */
  readonly redeem: (redemption: Redemption) => Effect.Effect<void>
  /** Takes back an order's redemption; false when it has none, or no more. */
  readonly release: (orderId: number, at: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/Coupons") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = update(
        sql,
        `INSERT INTO coupons (code, kind, value, currency, valid_from, valid_until, max_uses, once_per_account, uses,
           created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`
      )
      // The index holds redemptions of coupons that are once per account; the others are never looked up.
      const redeemed = sql.one<[number]>(
        `SELECT 1 FROM coupon_redemptions
         WHERE coupon_id = ? AND account_id = ? AND once_per_account = 1 AND released_at IS NULL`
      )
      const use = update(sql, "UPDATE coupons SET uses = uses + 1 WHERE id = ?")
      const redeem = update(
        sql,
        `INSERT INTO coupon_redemptions (order_id, coupon_id, account_id, once_per_account, discount, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`
      )
      const release = sql.one<[couponId: number]>(
        "UPDATE coupon_redemptions SET released_at = ? WHERE order_id = ? AND released_at IS NULL RETURNING coupon_id"
      )
      const returnUse = sql.run("UPDATE coupons SET uses = uses - 1 WHERE id = ?")
      return {
        find: selectOne(sql, COUPON, "FROM coupons WHERE code = ?"),
        redeemedBy: (couponId, accountId) => Rows.exists(redeemed(couponId, accountId)),
        redeem: ({ accountId, at, coupon: { id, oncePerAccount }, discount, orderId }) =>
          Effect.andThen(use(id), redeem(orderId, id, accountId, Number(oncePerAccount), discount, at)),
        release: (orderId, at) =>
          Effect.flatMap(
            release(at, orderId),
            (row) => row === undefined ? Effect.succeed(false) : Effect.as(returnUse(row[0]), true)
          ),
        add: (c) => {
          const once = Number(c.oncePerAccount)
          return insert(c.code, c.kind, c.value, c.currency, c.validFrom, c.validUntil, c.maxUses, once, c.at)
        }
      }
    })
  )
}
