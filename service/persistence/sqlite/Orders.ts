import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Order, Orders } from "../Orders.ts"
import { Database } from "./Database.ts"

type Row = [id: number, accountId: number, planId: number, status: Order["status"], price: number, charge: number]

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO orders (account_id, plan_id, status, config, price, charge, created_at, paid_at)
     VALUES (?1, ?2, 'paid', ?3, ?4, ?5, ?6, ?6)`
  )
  const find = db.one<Row>("SELECT id, account_id, plan_id, status, price, charge FROM orders WHERE id = ?")
  const refunded = db.run("UPDATE orders SET status = 'refunded' WHERE id = ? AND status = 'paid'")
  const plan = db.run("UPDATE orders SET plan_id = ?, price = ? WHERE id = ?")
  return Orders.of({
    insert: (order) =>
      Effect.sync(() => insert(order.accountId, order.planId, order.config, order.price, order.charge, order.at).id),
    find: (key) =>
      Effect.sync(() => {
        const row = find(key)
        if (row === undefined) return undefined
        const [id, accountId, planId, status, price, charge] = row
        return { id, accountId, planId, status, price, charge }
      }),
    setPlan: (id, planId, price) => Effect.sync(() => void plan(planId, price, id)),
    markRefunded: (id) => Effect.sync(() => refunded(id).changes === 1)
  })
})

export const layer: Layer.Layer<Orders, never, Database> = Layer.effect(Orders, make)
