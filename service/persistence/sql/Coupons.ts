import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CouponKind } from "../../domain/Coupon.ts"
import { Coupons, type Redemption, type StoredCoupon } from "../Coupons.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

export type Row = [
  id: number,
  code: string,
  kind: CouponKind,
  value: number,
  currency: string | null,
  validFrom: number | null,
  validUntil: number | null,
  maxUses: number | null,
  oncePerAccount: number,
  uses: number
]

export const COLUMNS = "id, code, kind, value, currency, valid_from, valid_until, max_uses, once_per_account, uses"

export const toCoupon = (row: Row): StoredCoupon => ({
  id: row[0],
  code: row[1],
  kind: row[2],
  value: row[3],
  currency: row[4],
  validFrom: row[5],
  validUntil: row[6],
  maxUses: row[7],
  oncePerAccount: row[8] === 1,
  uses: row[9]
})

const reads = (sql: Sql["Service"]) => {
  const find = sql.one<Row>(
    `SELECT ${COLUMNS} FROM coupons WHERE code = ?`
  )
  // The index holds redemptions of coupons that are once per account; nobody asks about the others.
  const redeemed = sql.one<[number]>(
    `SELECT 1 FROM coupon_redemptions
     WHERE coupon_id = ? AND account_id = ? AND once_per_account = 1 AND released_at IS NULL`
  )
  return {
    find: (code: string) => Rows.optional(find(code), toCoupon),
    redeemedBy: (couponId: number, accountId: number) =>
      Effect.map(redeemed(couponId, accountId), (row) => row !== undefined)
  }
}

const redemptions = (sql: Sql["Service"]) => {
  const use = sql.run("UPDATE coupons SET uses = uses + 1 WHERE id = ?")
  const redeem = sql.run(
    `INSERT INTO coupon_redemptions (order_id, coupon_id, account_id, once_per_account, discount, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`
  )
  const release = sql.one<[couponId: number]>(
    "UPDATE coupon_redemptions SET released_at = ? WHERE order_id = ? AND released_at IS NULL RETURNING coupon_id"
  )
  const unuse = sql.run("UPDATE coupons SET uses = uses - 1 WHERE id = ?")
  return {
    redeem: ({ accountId, at, coupon, discount, orderId }: Redemption) =>
      Effect.asVoid(Effect.andThen(
        use(coupon.id),
        redeem(orderId, coupon.id, accountId, Number(coupon.oncePerAccount), discount, at)
      )),
    release: (orderId: number, at: number) =>
      Effect.flatMap(
        release(at, orderId),
        (row) => row === undefined ? Effect.succeed(false) : Effect.as(unuse(row[0]), true)
      )
  }
}

const make = Effect.map(Sql, (sql) => {
  const insert = sql.run(
    `INSERT INTO coupons (code, kind, value, currency, valid_from, valid_until, max_uses, once_per_account, uses,
       created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`
  )
  return Coupons.of({
    ...reads(sql),
    ...redemptions(sql),
    add: (c) => {
      const once = Number(c.oncePerAccount)
      return Effect.asVoid(
        insert(c.code, c.kind, c.value, c.currency, c.validFrom, c.validUntil, c.maxUses, once, c.at)
      )
    }
  })
})

export const layer: Layer.Layer<Coupons, never, Sql> = Layer.effect(Coupons, make)
