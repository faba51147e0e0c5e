import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Lifecycle, Power } from "../../domain/InstanceStatus.ts"
import { type Contract, Contracts, type Due } from "../Contracts.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Row = [
  instanceId: number,
  accountId: number,
  orderId: number,
  planId: number,
  createdAt: number,
  expiresAt: number,
  autoRenew: number,
  lifecycle: Lifecycle,
  suspended: number,
  resumePower: Power | null,
  graceUntil: number | null,
  busy: number
]

const BUSY = `EXISTS (SELECT 1 FROM tasks t
  WHERE t.instance_id = i.id AND t.kind = 'operation' AND t.status IN ('queued', 'running'))`

const CONTRACT = `SELECT i.id, i.account_id, i.order_id, o.plan_id, i.created_at, i.expires_at, i.auto_renew,
    i.lifecycle, CASE WHEN i.suspended_reason IS NULL THEN 0 ELSE 1 END, i.resume_power, i.grace_until,
    CASE WHEN ${BUSY} THEN 1 ELSE 0 END
  FROM instances i JOIN orders o ON o.id = i.order_id`

const toContract = (row: Row): Contract => ({
  instanceId: row[0],
  accountId: row[1],
  orderId: row[2],
  planId: row[3],
  createdAt: row[4],
  expiresAt: row[5],
  autoRenew: row[6] === 1,
  lifecycle: row[7],
  suspended: row[8] === 1,
  resumePower: row[9],
  graceUntil: row[10],
  busy: row[11] === 1
})

/** Reads its index in order and stops at the first that is idle. The condition is the index's own. */
const due = ({ all, one }: Sql["Service"], moment: string, condition: string): Due => {
  const first = one<[number]>(
    `SELECT ${moment} FROM instances i WHERE ${condition} AND NOT ${BUSY} ORDER BY ${moment} LIMIT 1`
  )
  const ids = all<[number]>(
    `SELECT i.id FROM instances i WHERE ${condition} AND ${moment} <= ? AND NOT ${BUSY}
     ORDER BY ${moment}, i.id LIMIT ?`
  )
  return {
    next: Rows.optionalValue(first()),
    ids: (now, limit) => Rows.column(ids(now, limit))
  }
}

const make = Effect.map(Sql, (sql) => {
  const find = sql.one<Row>(`${CONTRACT} WHERE i.id = ? AND i.expires_at IS NOT NULL`)
  const inGrace = sql.all<Row>(
    `${CONTRACT} WHERE i.account_id = ? AND i.lifecycle = 'expired' AND i.auto_renew = 1 ORDER BY i.expires_at, i.id`
  )
  const renew = sql.run(
    `UPDATE instances SET expires_at = ?, grace_until = NULL, resume_power = NULL,
       lifecycle = CASE WHEN suspended_reason IS NULL THEN 'active' ELSE 'suspended' END WHERE id = ?`
  )
  const reprice = sql.run("UPDATE orders SET price = ? WHERE id = ? AND price <> ?")
  const expire = sql.run(
    "UPDATE instances SET lifecycle = 'expired', resume_power = power, grace_until = ? WHERE id = ?"
  )
  const setGrace = sql.run("UPDATE instances SET grace_until = ? WHERE id = ?")
  const autoRenew = sql.run("UPDATE instances SET auto_renew = ? WHERE id = ?")
  const remove = sql.run("UPDATE instances SET lifecycle = 'deleted', deleted_at = ? WHERE id = ?")
  return Contracts.of({
    find: (id) => Rows.optional(find(id), toContract),
    endings: due(sql, "i.expires_at", "i.lifecycle IN ('active', 'suspended') AND i.expires_at IS NOT NULL"),
    graceEnds: due(sql, "i.grace_until", "i.lifecycle = 'expired' AND i.grace_until IS NOT NULL"),
    inGrace: (accountId) => Rows.each(inGrace(accountId), toContract),
    renew: ({ instanceId, orderId }, expiresAt, price) =>
      Effect.asVoid(Effect.andThen(renew(expiresAt, instanceId), reprice(price, orderId, price))),
    expire: (id, graceUntil) => Effect.asVoid(expire(graceUntil, id)),
    setAutoRenew: (id, on) => Effect.asVoid(autoRenew(Number(on), id)),
    setGrace: (id, graceUntil) => Effect.asVoid(setGrace(graceUntil, id)),
    delete: (id, at) => Effect.asVoid(remove(at, id))
  })
})

export const layer: Layer.Layer<Contracts, never, Sql> = Layer.effect(Contracts, make)
