/** Settings of the emulator's controls, in the service's database so that a restart preserves them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, selectOne, update } from "./Columns.ts"
import { Sql } from "./Sql.ts"

export interface ClockSetting {
  /** Milliseconds ahead of the system clock; negative is behind it. */
  readonly ahead: number
  /** The time at which the clock is frozen, in epoch milliseconds; null while it runs. */
  readonly frozenAt: number | null
}

export interface StoredFault {
  readonly id: number
  /** JSON text. */
  readonly rule: string
  /** Random draws so far. */
  readonly drawn: number
  /** Draws that injected the fault. */
  readonly hits: number
}

export class EmulatorSettings extends Context.Service<EmulatorSettings, {
  /** Undefined until it was set. */
  readonly clock: Effect.Effect<ClockSetting | undefined>
  readonly setClock: (setting: ClockSetting) => Effect.Effect<void>
  /** Oldest first. */
  readonly faults: Effect.Effect<ReadonlyArray<StoredFault>>
  /** Returns its id. */
  readonly addFault: (rule: string) => Effect.Effect<number>
  /** Stores the counts of draws and hits. */
  readonly countFault: (fault: Omit<StoredFault, "rule">) => Effect.Effect<void>
  readonly clearFaults: Effect.Effect<void>
}>()("@pulumi-vps/service/EmulatorSettings") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const clock = selectOne(sql, CLOCK, "FROM emulator_clock")
      const setClock = update(
        sql,
        `INSERT INTO emulator_clock (id, ahead, frozen_at) VALUES (1, ?, ?)
         ON CONFLICT (id) DO UPDATE SET ahead = excluded.ahead, frozen_at = excluded.frozen_at`
      )
      const faults = selectAll(sql, FAULT, "FROM emulator_faults ORDER BY id")
      const add = sql.insert("INSERT INTO emulator_faults (rule, drawn, hits) VALUES (?, 0, 0)")
      const count = update(sql, "UPDATE emulator_faults SET drawn = ?, hits = ? WHERE id = ?")
      return {
        clock: clock(),
        setClock: ({ ahead, frozenAt }) => setClock(ahead, frozenAt),
        faults: faults(),
        addFault: (rule) => add(rule),
        countFault: ({ drawn, hits, id }) => count(drawn, hits, id),
        clearFaults: update(sql, "DELETE FROM emulator_faults")()
      }
    })
  )
}

const CLOCK = columns<ClockSetting>({ ahead: "ahead", frozenAt: "frozen_at" })

const FAULT = columns<StoredFault>({ id: "id", rule: "rule", drawn: "drawn", hits: "hits" })
