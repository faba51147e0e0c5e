/** The database's clock, which all replicas share, so that leases, limits and periods mean the same to each. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { steady, TimeSource } from "../clock/ServiceClock.ts"
import { tryPg, unavailable } from "./Failures.ts"
import { Pool } from "./Pool.ts"

const NOW = { text: "SELECT extract(epoch FROM clock_timestamp()) * 1000", rowMode: "array" } as const

/** Reads the clock once. The result was true halfway between request and response. */
const read = (pool: Pool["Service"]) =>
  tryPg(async () => {
    const connection = await pool.connect()
    try {
      const began = steady()
      const { rows } = await connection.query(NOW)
      connection.release(false)
      return { millis: Number(rows[0]![0]), at: (began + steady()) / 2 }
    } catch (error) {
      connection.release(true)
      throw error
    }
  }).pipe(Effect.mapError(unavailable))

export const layer: Layer.Layer<never, never, Pool> = Layer.effect(
  TimeSource,
  Effect.map(Pool, (pool) => () => ({ read: read(pool), steady }))
)
