import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BootMode, Lifecycle, Power } from "../../domain/InstanceStatus.ts"
import { Instances, type StoredInstance } from "../Instances.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"
import { freshRow, SHOWN, type Shown, toInstance } from "./InstanceView.ts"

type Row = [
  id: number,
  accountId: number,
  orderId: number,
  planId: number,
  lifecycle: Lifecycle,
  power: Power,
  bootMode: BootMode,
  task: string | null,
  hostname: string | null,
  os: string,
  providerId: string | null,
  ipv4: string | null,
  ipv6: string | null,
  providerData: string | null,
  category: string,
  price: number,
  isoId: number | null,
  createdAt: number,
  expiresAt: number | null
]

const STORED = `SELECT i.id, i.account_id, i.order_id, o.plan_id, i.lifecycle, i.power, i.boot_mode, t.type,
    i.hostname, i.os, i.provider_id, i.ipv4, i.ipv6, i.provider_data,
    p.category, o.price, i.iso_id, i.created_at, i.expires_at
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
  LEFT JOIN tasks t ON t.instance_id = i.id AND t.kind = 'operation' AND t.status IN ('queued', 'running')
  WHERE i.id = ?`

const toStored = (row: Row): StoredInstance => ({
  id: row[0],
  accountId: row[1],
  orderId: row[2],
  planId: row[3],
  lifecycle: row[4],
  power: row[5],
  bootMode: row[6],
  task: row[7] ?? undefined,
  hostname: row[8],
  os: row[9],
  providerId: row[10],
  ipv4: row[11],
  ipv6: row[12],
  providerData: row[13],
  category: row[14],
  price: row[15],
  isoId: row[16],
  createdAt: row[17],
  expiresAt: row[18]
})

const changes = (sql: Sql["Service"]) => {
  const deployed = sql.run(
    `UPDATE instances SET lifecycle = 'active', power = 'on', provider_id = ?, ipv4 = ?, ipv6 = ?, provider_data = ?
     WHERE id = ?`
  )
  const power = sql.run("UPDATE instances SET power = ? WHERE id = ?")
  const lifecycle = sql.run("UPDATE instances SET lifecycle = ? WHERE id = ?")
  const hostname = sql.run("UPDATE instances SET hostname = ?, provider_data = ? WHERE id = ?")
  const bootMode = sql.run("UPDATE instances SET boot_mode = ? WHERE id = ?")
  const system = sql.run("UPDATE instances SET os = ?, hostname = ?, provider_data = ? WHERE id = ?")
  const iso = sql.run("UPDATE instances SET iso_id = ? WHERE id = ?")
  return {
    setDeployed: (id, d) => Effect.asVoid(deployed(d.providerId, d.ipv4, d.ipv6, d.providerData, id)),
    setBootMode: (id, value) => Effect.asVoid(bootMode(value, id)),
    setSystem: (id, s) => Effect.asVoid(system(s.os, s.hostname, s.providerData, id)),
    setIso: (id, value) => Effect.asVoid(iso(value, id)),
    setPower: (id, value) => Effect.asVoid(power(value, id)),
    setLifecycle: (id, value) => Effect.asVoid(lifecycle(value, id)),
    setHostname: (id, value, providerData) => Effect.asVoid(hostname(value, providerData, id))
  } satisfies Partial<Instances["Service"]>
}

const make = Effect.map(Sql, (sql) => {
  const insert = sql.insert(
    `INSERT INTO instances (account_id, order_id, lifecycle, power, boot_mode, hostname, os, auto_renew, expires_at,
       created_at) VALUES (?, ?, 'pending', 'off', 'disk', ?, ?, 1, ?, ?)`
  )
  const show = sql.one<Shown>(`${SHOWN} WHERE i.id = ? AND i.account_id = ?`)
  const list = sql.all<Shown>(`${SHOWN} WHERE i.account_id = ? AND i.lifecycle <> 'deleted' ORDER BY i.id`)
  const find = sql.one<Row>(STORED)
  const remembered = sql.remembered((accountId, id) => Rows.optional(show(id, accountId), toInstance))
  const shown = (accountId: number, id: number, deleted: boolean) =>
    Effect.map(
      remembered(accountId, id),
      (instance) => instance === undefined || (instance.status === "deleted" && !deleted) ? undefined : instance
    )
  return Instances.of({
    insert: (i) =>
      Effect.map(
        insert(i.account.id, i.orderId, i.hostname, i.os, i.expiresAt, i.at),
        (id) => toInstance(freshRow(id, i))
      ),
    show: (accountId, id) => shown(accountId, id, false),
    showAny: (accountId, id) => shown(accountId, id, true),
    list: (accountId) => Rows.each(list(accountId), toInstance),
    find: (id) => Rows.optional(find(id), toStored),
    ...changes(sql)
  })
})

export const layer: Layer.Layer<Instances, never, Sql> = Layer.effect(Instances, make)
