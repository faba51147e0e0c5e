/** Images and power history of simulated machines. */
import * as Effect from "effect/Effect"
import type { Power } from "../../domain/InstanceStatus.ts"
import { columns, placeholders, selectAll, selectOne, update } from "../Columns.ts"
import type { Sql } from "../Sql.ts"

/** A snapshot or backup. */
export interface SimulatedImage {
  readonly tag: string
  readonly name: string
  readonly os: string
  readonly hostname: string
  readonly sizeBytes: number
}

/** A change of a machine's power; on twice in a row is a reboot. */
export interface SimulatedPower {
  readonly at: number
  readonly power: Power
}

export interface Images {
  readonly image: (tag: string, name: string) => Effect.Effect<SimulatedImage | undefined>
  /** Replaces one of the same name. */
  readonly addImage: (image: SimulatedImage) => Effect.Effect<void>
  readonly removeImage: (tag: string, name: string) => Effect.Effect<void>
}

export interface PowerHistory {
  /** Records a change of power, and deletes those that are irrelevant since a moment. */
  readonly recordPower: (tag: string, change: SimulatedPower, before: number) => Effect.Effect<void>
  /** Oldest first. */
  readonly powerHistory: (tag: string) => Effect.Effect<ReadonlyArray<SimulatedPower>>
}

const IMAGE = columns<SimulatedImage>({
  tag: "tag",
  name: "name",
  os: "os",
  hostname: "hostname",
  sizeBytes: "size_bytes"
})

export const images = (sql: Sql["Service"]): Images => {
  const add = update(
    sql,
    `INSERT INTO simulated_images (${IMAGE.sql}) VALUES (${placeholders(IMAGE.names.length)})
     ON CONFLICT (tag, name)
     DO UPDATE SET os = excluded.os, hostname = excluded.hostname, size_bytes = excluded.size_bytes`
  )
  return {
    image: selectOne(sql, IMAGE, "FROM simulated_images WHERE tag = ? AND name = ?"),
    addImage: (image) => add(...IMAGE.encode(image)),
    removeImage: update(sql, "DELETE FROM simulated_images WHERE tag = ? AND name = ?")
  }
}

const CHANGE = columns<SimulatedPower>({ at: "at", power: "power" })

export const powerHistory = (sql: Sql["Service"]): PowerHistory => {
  const record = sql.run(
    `INSERT INTO simulated_power (tag, at, power) VALUES (?, ?, ?)
     ON CONFLICT (tag, at) DO UPDATE SET power = excluded.power`
  )
  // The last change before the moment stays: it is the power at that moment.
  const deleteBefore = update(
    sql,
    `DELETE FROM simulated_power WHERE tag = ?1
       AND at < (SELECT max(at) FROM simulated_power WHERE tag = ?1 AND at <= ?2)`
  )
  return {
    recordPower: (tag, { at, power }, before) => Effect.andThen(record(tag, at, power), deleteBefore(tag, before)),
    powerHistory: selectAll(sql, CHANGE, "FROM simulated_power WHERE tag = ? ORDER BY at")
  }
}
