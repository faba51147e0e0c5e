import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Order, Orders } from "../Orders.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Row = [id: number, accountId: number, planId: number, status: Order["status"], price: number, charge: number]

const toOrder = ([id, accountId, planId, status, price, charge]: Row): Order => ({
  id,
  accountId,
  planId,
  status,
  price,
  charge
})

const make = Effect.map(Sql, (sql) => {
  const insert = sql.insert(
    `INSERT INTO orders (account_id, plan_id, status, config, price, charge, created_at, paid_at)
     VALUES (?1, ?2, 'paid', ?3, ?4, ?5, ?6, ?6)`
  )
  const find = sql.one<Row>("SELECT id, account_id, plan_id, status, price, charge FROM orders WHERE id = ?")
  const refunded = sql.run("UPDATE orders SET status = 'refunded' WHERE id = ? AND status = 'paid'")
  const plan = sql.run("UPDATE orders SET plan_id = ?, price = ? WHERE id = ?")
  return Orders.of({
    insert: ({ accountId, at, charge, config, planId, price }) => insert(accountId, planId, config, price, charge, at),
    find: (id) => Rows.optional(find(id), toOrder),
    setPlan: (id, planId, price) => Effect.asVoid(plan(planId, price, id)),
    markRefunded: (id) => Rows.changed(refunded(id))
  })
})

export const layer: Layer.Layer<Orders, never, Sql> = Layer.effect(Orders, make)
