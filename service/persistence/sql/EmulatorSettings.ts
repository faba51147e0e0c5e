import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EmulatorSettings } from "../EmulatorSettings.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type FaultRow = [id: number, rule: string, drawn: number, hits: number]

const make = Effect.map(Sql, (sql) => {
  const clock = sql.one<[ahead: number, frozenAt: number | null]>("SELECT ahead, frozen_at FROM emulator_clock")
  const setClock = sql.run(
    `INSERT INTO emulator_clock (id, ahead, frozen_at) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET ahead = excluded.ahead, frozen_at = excluded.frozen_at`
  )
  const faults = sql.all<FaultRow>("SELECT id, rule, drawn, hits FROM emulator_faults ORDER BY id")
  const add = sql.insert("INSERT INTO emulator_faults (rule, drawn, hits) VALUES (?, 0, 0)")
  const count = sql.run("UPDATE emulator_faults SET drawn = ?, hits = ? WHERE id = ?")
  const clear = sql.run("DELETE FROM emulator_faults")
  return EmulatorSettings.of({
    clock: Rows.optional(clock(), ([ahead, frozenAt]) => ({ ahead, frozenAt })),
    setClock: ({ ahead, frozenAt }) => Effect.asVoid(setClock(ahead, frozenAt)),
    faults: Rows.each(faults(), ([id, rule, drawn, hits]) => ({ id, rule, drawn, hits })),
    addFault: (rule) => add(rule),
    countFault: ({ drawn, hits, id }) => Effect.asVoid(count(drawn, hits, id)),
    clearFaults: Effect.asVoid(clear())
  })
})

export const layer: Layer.Layer<EmulatorSettings, never, Sql> = Layer.effect(EmulatorSettings, make)
