/**
 * The store of samples for a database that replicas share: a table with a row for each slot. On PostgreSQL it is
 * unlogged, so it costs no write-ahead log; a crash of the server empties it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FINEST_STEP_SECONDS, type Sample } from "../../domain/Metrics.ts"
import { Sql } from "../Sql.ts"
import { MetricsStore, type Ring, RINGS, slotOf, toSample, VALUES } from "./MetricsStore.ts"

/** A column for each value, in the order of `VALUES`. */
const COLUMNS = ["cpu_hundredths", "memory", "memory_total", "disk_read", "disk_write", "network_rx", "network_tx"]

/** Percent are stored as whole hundredths, so that every column is a whole number. */
const HUNDRED = 100
const CPU = VALUES.indexOf("cpuPercent")
const MILLIS = 1_000

const LIST = COLUMNS.join(", ")
const KEY = "step_seconds, slot, tag, at"
const REPLACE = `ON CONFLICT (step_seconds, slot, tag) DO UPDATE SET at = excluded.at, `
  + COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")

const WRITE = `INSERT INTO metric_samples (${KEY}, ${LIST})
  SELECT ${FINEST_STEP_SECONDS}, slot, tag, at, ${LIST} FROM json_to_recordset(CAST(? AS json))
    AS s(slot bigint, tag text, at bigint, ${COLUMNS.map((name) => `${name} bigint`).join(", ")}) ${REPLACE}`

/** Slots are listed, because the index begins with them. */
const IN_SLOTS = (place: string) => `slot = ANY(CAST(string_to_array(${place}, ',') AS bigint[]))`

const ROLL_UP = `INSERT INTO metric_samples (${KEY}, ${LIST})
  SELECT CAST(?1 AS bigint), CAST(?2 AS bigint), tag, CAST(?3 AS bigint),
    ${COLUMNS.map((name) => `CAST(round(avg(${name})) AS bigint)`).join(", ")}
  FROM metric_samples WHERE step_seconds = ?4 AND ${IN_SLOTS("?5")} AND at > ?6 AND at <= ?3
  GROUP BY tag ${REPLACE}`

const FINEST = RINGS.find(({ stepSeconds }) => stepSeconds === FINEST_STEP_SECONDS)!

const toRow = (tag: string, sample: Sample) => {
  const values = VALUES.map((name, index) => index === CPU ? Math.round(sample[name] * HUNDRED) : sample[name])
  const columns = COLUMNS.map((name, index) => [name, values[index]])
  return { tag, slot: slotOf(FINEST, sample.at), at: sample.at, ...Object.fromEntries(columns) as object }
}

/** The slots of the steps that end after `from` and until `to`, at most all of the ring. */
const slotsOf = (ring: Ring, from: number, to: number): string => {
  const step = ring.stepSeconds * MILLIS
  const last = Math.floor(to / step)
  const count = Math.min(ring.slots, last - Math.floor(from / step))
  return Array.from({ length: count }, (_, index) => slotOf(ring, (last - index) * step)).join(",")
}

type Row = [at: number, ...values: ReadonlyArray<number>]

/** The store on PostgreSQL. */
export const layer: Layer.Layer<MetricsStore, never, Sql> = Layer.effect(
  MetricsStore,
  Effect.map(Sql, (sql) => {
    const write = sql.run(WRITE)
    const rollUp = sql.run(ROLL_UP)
    const read = sql.all<Row>(
      `SELECT at, ${LIST} FROM metric_samples WHERE step_seconds = ?1 AND ${IN_SLOTS("?2")} AND tag = ?3
         AND at > ?4 AND at <= ?5 ORDER BY at`
    )
    const remove = sql.run(`DELETE FROM metric_samples WHERE step_seconds = ?1 AND ${IN_SLOTS("?2")} AND tag = ?3`)
    return MetricsStore.of({
      write: (samples) => Effect.asVoid(write(JSON.stringify(samples.map(({ sample, tag }) => toRow(tag, sample))))),
      rollUp: (from, to, at) => {
        const begin = at - to.stepSeconds * MILLIS
        const slots = slotsOf(from, begin, at)
        return Effect.asVoid(rollUp(to.stepSeconds, slotOf(to, at), at, from.stepSeconds, slots, begin))
      },
      read: (tag, { from, stepSeconds, to }) => {
        const ring = RINGS.find((each) => each.stepSeconds === stepSeconds)
        if (ring === undefined) return Effect.succeed([])
        const rows = read(stepSeconds, slotsOf(ring, from, to), tag, from, to)
        return Effect.map(
          rows,
          (all) =>
            all.map(([at, ...values]) =>
              toSample(at, values.map((value, index) => index === CPU ? value / HUNDRED : value))
            )
        )
      },
      remove: (tag) =>
        Effect.forEach(
          RINGS,
          (ring) => remove(ring.stepSeconds, slotsOf(ring, 0, ring.slots * ring.stepSeconds * MILLIS), tag),
          { discard: true }
        )
    })
  })
)
