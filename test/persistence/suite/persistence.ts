/** The persistence suite: what the database layer promises on both databases, rule by rule. */
import { describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as References from "effect/References"
import { Sql } from "#service/persistence/Sql"
import { Wipe } from "#service/persistence/SavedStates"
import { audit } from "./audit.ts"
import { claims, endedTasks } from "./claims.ts"
import { clock } from "./clock.ts"
import { constraints } from "./constraints.ts"
import { hosts } from "./hosts.ts"
import { ledger } from "./ledger.ts"
import { emulatorSettings, idempotencyKeys } from "./retention.ts"
import { observations } from "./observations.ts"
import { type Rules, type Stored, write } from "./Rules.ts"
import { simulated } from "./simulated.ts"
import { statements, transactions } from "./statements.ts"
import { states } from "./states.ts"
import { fences, tasks } from "./tasks.ts"

/** Statements, transactions, claims, and what only databases refuse. Use cases test the repositories on both. */
const RULES: Readonly<Record<string, Rules>> = {
  statements,
  transactions,
  "the ledger": ledger,
  "the audit log": audit,
  observations,
  "idempotency keys": idempotencyKeys,
  tasks,
  fences,
  claims,
  "the clock": clock,
  hosts,
  "tasks that have ended": endedTasks,
  "the emulator's settings": emulatorSettings,
  "simulated machines": simulated,
  "saved states": states,
  "constraints of the tables": constraints
}

/** Without a row, saved states included. */
const emptied = Effect.gen(function*() {
  yield* write((yield* Wipe).everything)
  yield* (yield* Sql).run("DELETE FROM emulator_states")()
})

/** Much of it is refused on purpose, which is for the log. */
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

/** Proves every rule on one database, which no one else uses meanwhile. */
export const persistenceSuite = <E>(database: Layer.Layer<Stored, E>): void =>
  // On real time: PostgreSQL has it, and nothing here waits for a moment.
  layer(database, { excludeTestServices: true })((it) => {
    describe.each(Object.entries(RULES))("%s", (_topic, rules) => {
      for (const [sentence, rule] of Object.entries(rules)) {
        it.effect(sentence, () => quiet(Effect.andThen(emptied, rule)))
      }
    })
  })
