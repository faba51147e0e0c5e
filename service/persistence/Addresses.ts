/**
 * Addresses of machines. A released IPv4 address is in quarantine before another instance gets it. An IPv6 address
 * contains the id of its instance, so it is never another's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { addressOf, parseIpv6Network, toIpv6 } from "../domain/IpAddress.ts"
import { columns, selectAll, selectOne } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

export interface AddressPool {
  readonly id: number
  /** In CIDR notation. */
  readonly network: string
  readonly gateway: string
  readonly prefix: number
  readonly dataCenterId: number
}

export interface ListedPool extends AddressPool {
  /** 0 for IPv6, whose addresses are not counted. */
  readonly addresses: number
  readonly assigned: number
}

export interface AddressesInUse {
  readonly instanceId: number
  readonly ipv4: string
  readonly ipv6: string | null
}

/** An instance's address, with its network. */
export interface Assignment {
  readonly address: string
  readonly gateway: string
  readonly prefix: number
  /** Null in a data center without IPv6. */
  readonly ipv6: string | null
  readonly ipv6Gateway: string | null
  readonly ipv6Prefix: number | null
}

/** The query of the first free address of a pool; both arguments are SQL. */
export const firstFree = (pool: string, at: string): string =>
  `SELECT f.address FROM addresses f
   WHERE f.pool_id = ${pool} AND f.instance_id IS NULL AND f.free_at <= ${at} ORDER BY f.free_at, f.address LIMIT 1`

export class Addresses extends Context.Service<Addresses, {
  /** Adds a pool with its addresses. */
  readonly addPool: (
    pool: Omit<AddressPool, "id">,
    addresses: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<void>
  /** By network. */
  readonly pools: Effect.Effect<ReadonlyArray<ListedPool>>
  readonly isFree: (dataCenterId: number, at: number) => Effect.Effect<boolean>
  /**
   * Assigns the IPv4 address that has been free for the longest time, and one of the data center's IPv6 network if it
   * has one. False if no IPv4 address is free.
   */
  readonly assign: (dataCenterId: number, instanceId: number, at: number) => Effect.Effect<boolean>
  readonly of: (instanceId: number) => Effect.Effect<Assignment | undefined>
  /** The addresses of deployed instances that are not deleted, by id. */
  readonly inUse: Effect.Effect<ReadonlyArray<AddressesInUse>>
  /**
   * Keeps an IPv4 address from being assigned before a moment. An instance without a machine gets another one instead,
   * or none if none is free; one with a machine keeps it.
   */
  readonly withhold: (address: string, until: number, at: number) => Effect.Effect<void>
  /** Does nothing for an instance without one. */
  readonly release: (instanceId: number, freeAt: number) => Effect.Effect<void>
}>()("@pulumi-vps/service/Addresses") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insertPool = sql.insert(
        "INSERT INTO address_pools (network, gateway, prefix, data_center_id, created_at) VALUES (?, ?, ?, ?, ?)"
      )
      const insert = sql.run("INSERT INTO addresses (address, pool_id, instance_id, free_at) VALUES (?, ?, NULL, ?)")
      const free = sql.one<[address: string]>(
        // The first of each pool is the first in its index; the others are not read.
        `SELECT a.address FROM address_pools p JOIN addresses a ON a.address = (${firstFree("p.id", "?2")})
         WHERE p.data_center_id = ?1 ORDER BY a.free_at, a.address LIMIT 1`
      )
      const assign = sql.run("UPDATE addresses SET instance_id = ? WHERE address = ? AND instance_id IS NULL")
      const ipv6 = ipv6Addresses(sql)
      const withhold = sql.run(
        "UPDATE addresses SET free_at = ?2 WHERE address = ?1 AND instance_id IS NULL AND free_at < ?2"
      )
      const takenByPending = sql.one<[instanceId: number, dataCenterId: number]>(
        `SELECT a.instance_id, p.data_center_id FROM addresses a JOIN address_pools p ON p.id = a.pool_id
           JOIN instances i ON i.id = a.instance_id
         WHERE a.address = ? AND i.provider_id IS NULL`
      )
      const release = sql.run("UPDATE addresses SET instance_id = NULL, free_at = ? WHERE instance_id = ?")
      return {
        addPool: ({ dataCenterId, gateway, network, prefix }, addresses, at) =>
          Effect.flatMap(
            insertPool(network, gateway, prefix, dataCenterId, at),
            (id) => Effect.forEach(addresses, (address) => insert(address, id, at), { discard: true })
          ),
        pools: selectAll(sql, POOL, "FROM address_pools p ORDER BY network")(),
        isFree: (dataCenterId, at) => Rows.exists(free(dataCenterId, at)),
        assign: Effect.fnUntraced(function*(dataCenterId, instanceId, at) {
          const row = yield* free(dataCenterId, at)
          if (row === undefined || (yield* assign(instanceId, row[0])) !== 1) return false
          yield* ipv6.assign(dataCenterId, instanceId)
          return true
        }),
        of: selectOne(
          sql,
          ASSIGNMENT,
          `FROM addresses a JOIN address_pools p ON p.id = a.pool_id
             LEFT JOIN ipv6_addresses s ON s.instance_id = a.instance_id
             LEFT JOIN address_pools q ON q.id = s.pool_id
           WHERE a.instance_id = ?`
        ),
        inUse: selectAll(
          sql,
          IN_USE,
          "FROM instances WHERE ipv4 IS NOT NULL AND lifecycle IN ('active', 'suspended', 'expired') ORDER BY id"
        )(),
        withhold: Effect.fnUntraced(function*(address, until, at) {
          const taken = yield* takenByPending(address)
          if (taken !== undefined) yield* release(until, taken[0])
          yield* withhold(address, until)
          if (taken === undefined) return
          const next = yield* free(taken[1], at)
          if (next !== undefined) yield* assign(taken[0], next[0])
        }),
        release: (instanceId, freeAt) => Effect.andThen(release(freeAt, instanceId), ipv6.release(instanceId))
      }
    })
  )
}

const ipv6Addresses = (sql: Sql["Service"]) => {
  const pool = sql.one<[id: number, network: string]>(
    "SELECT id, network FROM address_pools WHERE data_center_id = ? AND network LIKE '%:%' ORDER BY id LIMIT 1"
  )
  const insert = sql.run("INSERT INTO ipv6_addresses (instance_id, pool_id, address) VALUES (?, ?, ?)")
  const release = sql.run("DELETE FROM ipv6_addresses WHERE instance_id = ?")
  return {
    assign: Effect.fnUntraced(function*(dataCenterId: number, instanceId: number) {
      const found = yield* pool(dataCenterId)
      if (found === undefined) return
      const [id, network] = found
      yield* insert(instanceId, id, toIpv6(addressOf(parseIpv6Network(network)!, instanceId)))
    }),
    release: (instanceId: number) => Effect.asVoid(release(instanceId))
  }
}

const POOL = columns<ListedPool>({
  id: "p.id",
  network: "p.network",
  gateway: "p.gateway",
  prefix: "p.prefix",
  dataCenterId: "p.data_center_id",
  addresses: "(SELECT CAST(count(*) AS BIGINT) FROM addresses a WHERE a.pool_id = p.id)",
  assigned: `(SELECT CAST(count(*) AS BIGINT) FROM addresses a WHERE a.pool_id = p.id AND a.instance_id IS NOT NULL)
    + (SELECT CAST(count(*) AS BIGINT) FROM ipv6_addresses a WHERE a.pool_id = p.id)`
})

const IN_USE = columns<AddressesInUse>({ instanceId: "id", ipv4: "ipv4", ipv6: "ipv6" })

const ASSIGNMENT = columns<Assignment>({
  address: "a.address",
  gateway: "p.gateway",
  prefix: "p.prefix",
  ipv6: "s.address",
  ipv6Gateway: "q.gateway",
  ipv6Prefix: "q.prefix"
})
