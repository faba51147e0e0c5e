/** IPv4 addresses of machines. A released one is in quarantine before another instance gets it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, selectOne } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

export interface AddressPool {
  readonly id: number
  /** In CIDR notation. */
  readonly network: string
  readonly gateway: string
  readonly prefix: number
  readonly dataCentreId: number
}

export interface ListedPool extends AddressPool {
  readonly addresses: number
  readonly assigned: number
}

/** An instance's address, with its network. */
export interface Assignment {
  readonly address: string
  readonly gateway: string
  readonly prefix: number
}

export class Addresses extends Context.Service<Addresses, {
  /** Adds a pool with its addresses. */
  readonly addPool: (
    pool: Omit<AddressPool, "id">,
    addresses: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<void>
  /** By network. */
  readonly pools: Effect.Effect<ReadonlyArray<ListedPool>>
  readonly isFree: (dataCentreId: number, at: number) => Effect.Effect<boolean>
  /** Assigns the address that has been free for the longest time; false if none is free. */
  readonly assign: (dataCentreId: number, instanceId: number, at: number) => Effect.Effect<boolean>
  readonly of: (instanceId: number) => Effect.Effect<Assignment | undefined>
  /** Does nothing for an instance without one. */
  readonly release: (instanceId: number, freeAt: number) => Effect.Effect<void>
}>()("pulumi-vps/service/Addresses") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insertPool = sql.insert(
        "INSERT INTO address_pools (network, gateway, prefix, data_centre_id, created_at) VALUES (?, ?, ?, ?, ?)"
      )
      const insert = sql.run("INSERT INTO addresses (address, pool_id, instance_id, free_at) VALUES (?, ?, NULL, ?)")
      const free = sql.one<[address: string]>(
        `SELECT a.address FROM addresses a JOIN address_pools p ON p.id = a.pool_id
         WHERE p.data_centre_id = ? AND a.instance_id IS NULL AND a.free_at <= ? ORDER BY a.free_at, a.address LIMIT 1`
      )
      const assign = sql.run("UPDATE addresses SET instance_id = ? WHERE address = ? AND instance_id IS NULL")
      const release = sql.run("UPDATE addresses SET instance_id = NULL, free_at = ? WHERE instance_id = ?")
      return {
        addPool: ({ dataCentreId, gateway, network, prefix }, addresses, at) =>
          Effect.flatMap(
            insertPool(network, gateway, prefix, dataCentreId, at),
            (id) => Effect.forEach(addresses, (address) => insert(address, id, at), { discard: true })
          ),
        pools: selectAll(sql, POOL, "FROM address_pools p ORDER BY network")(),
        isFree: (dataCentreId, at) => Rows.exists(free(dataCentreId, at)),
        assign: (dataCentreId, instanceId, at) =>
          Effect.flatMap(free(dataCentreId, at), (row) =>
            row === undefined
              ? Effect.succeed(false)
              : Effect.map(assign(instanceId, row[0]), (changed) => changed === 1)),
        of: selectOne(
          sql,
          ASSIGNMENT,
          "FROM addresses a JOIN address_pools p ON p.id = a.pool_id WHERE a.instance_id = ?"
        ),
        release: (instanceId, freeAt) => Effect.asVoid(release(freeAt, instanceId))
      }
    })
  )
}

const POOL = columns<ListedPool>({
  id: "p.id",
  network: "p.network",
  gateway: "p.gateway",
  prefix: "p.prefix",
  dataCentreId: "p.data_centre_id",
  addresses: "(SELECT CAST(count(*) AS BIGINT) FROM addresses a WHERE a.pool_id = p.id)",
  assigned: "(SELECT CAST(count(*) AS BIGINT) FROM addresses a WHERE a.pool_id = p.id AND a.instance_id IS NOT NULL)"
})

const ASSIGNMENT = columns<Assignment>({ address: "a.address", gateway: "p.gateway", prefix: "p.prefix" })
