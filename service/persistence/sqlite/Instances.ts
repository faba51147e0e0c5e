import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Instance } from "#contract/Instance"
import type { BootMode, Lifecycle, Power } from "../../domain/InstanceStatus.ts"
import { Instances, type StoredInstance } from "../Instances.ts"
import { Database } from "./Database.ts"
import { rememberWhileUnwritten } from "./InstanceCache.ts"
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

const changes = (db: Database["Service"]) => {
  const deployed = db.run(
    `UPDATE instances SET lifecycle = 'active', power = 'on', provider_id = ?, ipv4 = ?, ipv6 = ?, provider_data = ?
     WHERE id = ?`
  )
  const power = db.run("UPDATE instances SET power = ? WHERE id = ?")
  const lifecycle = db.run("UPDATE instances SET lifecycle = ? WHERE id = ?")
  const hostname = db.run("UPDATE instances SET hostname = ?, provider_data = ? WHERE id = ?")
  const bootMode = db.run("UPDATE instances SET boot_mode = ? WHERE id = ?")
  const system = db.run("UPDATE instances SET os = ?, hostname = ?, provider_data = ? WHERE id = ?")
  const iso = db.run("UPDATE instances SET iso_id = ? WHERE id = ?")
  return {
    setDeployed: (id, d) => Effect.sync(() => void deployed(d.providerId, d.ipv4, d.ipv6, d.providerData, id)),
    setBootMode: (id, value) => Effect.sync(() => void bootMode(value, id)),
    setSystem: (id, s) => Effect.sync(() => void system(s.os, s.hostname, s.providerData, id)),
    setIso: (id, value) => Effect.sync(() => void iso(value, id)),
    setPower: (id, value) => Effect.sync(() => void power(value, id)),
    setLifecycle: (id, value) => Effect.sync(() => void lifecycle(value, id)),
    setHostname: (id, value, providerData) => Effect.sync(() => void hostname(value, providerData, id))
  } satisfies Partial<Instances["Service"]>
}

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO instances (account_id, order_id, lifecycle, power, boot_mode, hostname, os, auto_renew, expires_at,
       created_at) VALUES (?, ?, 'pending', 'off', 'disk', ?, ?, 1, ?, ?)`
  )
  const show = db.one<Shown>(`${SHOWN} WHERE i.id = ? AND i.account_id = ?`)
  const list = db.all<Shown>(`${SHOWN} WHERE i.account_id = ? AND i.lifecycle <> 'deleted' ORDER BY i.id`)
  const find = db.one<Row>(STORED)
  const read = (accountId: number, id: number): Effect.Effect<Instance | undefined> =>
    Effect.sync(() => {
      const row = show(id, accountId)
      return row === undefined ? undefined : toInstance(row)
    })
  const cached = rememberWhileUnwritten(db, read)
  const shown = (accountId: number, id: number, deleted: boolean) =>
    Effect.map(
      cached(accountId, id),
      (instance) => instance === undefined || (instance.status === "deleted" && !deleted) ? undefined : instance
    )
  return Instances.of({
    insert: (i) =>
      Effect.sync(() =>
        toInstance(freshRow(insert(i.account.id, i.orderId, i.hostname, i.os, i.expiresAt, i.at).id, i))
      ),
    show: (accountId, id) => shown(accountId, id, false),
    showAny: (accountId, id) => shown(accountId, id, true),
    list: (accountId) => Effect.sync(() => list(accountId).map(toInstance)),
    find: (id) =>
      Effect.sync(() => {
        const row = find(id)
        return row === undefined ? undefined : toStored(row)
      }),
    ...changes(db)
  })
})

export const layer: Layer.Layer<Instances, never, Database> = Layer.effect(Instances, make)
