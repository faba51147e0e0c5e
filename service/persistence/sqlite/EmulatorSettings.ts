import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EmulatorSettings } from "../EmulatorSettings.ts"
import { Database } from "./Database.ts"

type FaultRow = [id: number, rule: string, drawn: number, hits: number]

const make = Effect.map(Database, (db) => {
  const clock = db.one<[ahead: number, frozenAt: number | null]>("SELECT ahead, frozen_at FROM emulator_clock")
  const setClock = db.run("INSERT OR REPLACE INTO emulator_clock (id, ahead, frozen_at) VALUES (1, ?, ?)")
  const faults = db.all<FaultRow>("SELECT id, rule, drawn, hits FROM emulator_faults ORDER BY id")
  const add = db.run("INSERT INTO emulator_faults (rule, drawn, hits) VALUES (?, 0, 0)")
  const count = db.run("UPDATE emulator_faults SET drawn = ?, hits = ? WHERE id = ?")
  const clear = db.run("DELETE FROM emulator_faults")
  return EmulatorSettings.of({
    clock: Effect.sync(() => {
      const row = clock()
      return row === undefined ? undefined : { ahead: row[0], frozenAt: row[1] }
    }),
    setClock: ({ ahead, frozenAt }) => Effect.sync(() => void setClock(ahead, frozenAt)),
    faults: Effect.sync(() => faults().map(([id, rule, drawn, hits]) => ({ id, rule, drawn, hits }))),
    addFault: (rule) => Effect.sync(() => add(rule).id),
    countFault: ({ drawn, hits, id }) => Effect.sync(() => void count(drawn, hits, id)),
    clearFaults: Effect.sync(() => void clear())
  })
})

export const layer: Layer.Layer<EmulatorSettings, never, Database> = Layer.effect(EmulatorSettings, make)
