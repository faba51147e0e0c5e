import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CouponKind } from "../../domain/Coupon.ts"
import { Coupons, type Redemption, type StoredCoupon } from "../Coupons.ts"
import { Database } from "./Database.ts"

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

const reads = (db: Database["Service"]) => {
  const find = db.one<Row>(
    `SELECT ${COLUMNS} FROM coupons WHERE code = ?`
  )
  // The index holds redemptions of coupons that are once per account; nobody asks about the others.
  const redeemed = db.one<[number]>(
    `SELECT 1 FROM coupon_redemptions
     WHERE coupon_id = ? AND account_id = ? AND once_per_account = 1 AND released_at IS NULL`
  )
  return {
    find: (code: string) =>
      Effect.sync(() => {
        const row = find(code)
        return row === undefined ? undefined : toCoupon(row)
      }),
    redeemedBy: (couponId: number, accountId: number) => Effect.sync(() => redeemed(couponId, accountId) !== undefined)
  }
}

const redemptions = (db: Database["Service"]) => {
  const use = db.run("UPDATE coupons SET uses = uses + 1 WHERE id = ?")
  const redeem = db.run(
    `INSERT INTO coupon_redemptions (order_id, coupon_id, account_id, once_per_account, discount, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`
  )
  const release = db.one<[couponId: number]>(
    "UPDATE coupon_redemptions SET released_at = ? WHERE order_id = ? AND released_at IS NULL RETURNING coupon_id"
  )
  const unuse = db.run("UPDATE coupons SET uses = uses - 1 WHERE id = ?")
  return {
    redeem: ({ accountId, at, coupon, discount, orderId }: Redemption) =>
      Effect.sync(() => {
        use(coupon.id)
        redeem(orderId, coupon.id, accountId, Number(coupon.oncePerAccount), discount, at)
      }),
    release: (orderId: number, at: number) =>
      Effect.sync(() => {
        const row = release(at, orderId)
        if (row === undefined) return false
        unuse(row[0])
        return true
      })
  }
}

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO coupons (code, kind, value, currency, valid_from, valid_until, max_uses, once_per_account, uses,
       created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`
  )
  return Coupons.of({
    ...reads(db),
    ...redemptions(db),
    add: (c) =>
      Effect.sync(() => {
        const once = Number(c.oncePerAccount)
        insert(c.code, c.kind, c.value, c.currency, c.validFrom, c.validUntil, c.maxUses, once, c.at)
      })
  })
})

export const layer: Layer.Layer<Coupons, never, Database> = Layer.effect(Coupons, make)
