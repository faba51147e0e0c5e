/** The metrics that Prometheus scrapes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ClockTrust } from "../persistence/clock/ClockTrust.ts"
import { Hosts } from "../persistence/Hosts.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Metrics } from "./Metrics.ts"

/** The metrics of this process, and the task queue of the database. */
export const scrape = Effect.gen(function*() {
  const tasks = yield* Tasks
  const open = yield* tasks.backlog
  const next = yield* tasks.nextDue
  const now = yield* Clock.currentTimeMillis
  const { doubt, sourceAhead } = yield* ClockTrust
  return (yield* Metrics).render(
    { open, lagMillis: next === undefined ? 0 : Math.max(0, now - next) },
    { isTrusted: doubt() === null, aheadMillis: sourceAhead() },
    yield* (yield* Hosts).list
  )
})
