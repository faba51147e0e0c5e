import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Order, Orders } from "../Orders.ts"
import { Database } from "./Database.ts"

type Row = [id: number, accountId: number, planId: number, status: Order["status"], charge: number]

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO orders (account_id, plan_id, status, config, charge, created_at, paid_at)
     VALUES (?1, ?2, 'paid', ?3, ?4, ?5, ?5)`
  )
  const find = db.one<Row>("SELECT id, account_id, plan_id, status, charge FROM orders WHERE id = ?")
  const refunded = db.run("UPDATE orders SET status = 'refunded' WHERE id = ? AND status = 'paid'")
  return Orders.of({
    insert: (order) =>
      Effect.sync(() => insert(order.accountId, order.planId, order.config, order.charge, order.at).id),
    find: (key) =>
      Effect.sync(() => {
        const row = find(key)
        if (row === undefined) return undefined
        const [id, accountId, planId, status, charge] = row
        return { id, accountId, planId, status, charge }
      }),
    markRefunded: (id) => Effect.sync(() => refunded(id).changes === 1)
  })
})

export const layer: Layer.Layer<Orders, never, Database> = Layer.effect(Orders, make)
