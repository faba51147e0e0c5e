/** Saves and restores states, and resets to the seed. */
import * as Effect from "effect/Effect"
import { Authentication } from "../auth/Authentication.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { errorResponse } from "../http/Errors.ts"
import type { SavedState } from "../contract/Emulator.ts"
import { EmulatorSettings } from "../persistence/EmulatorSettings.ts"
import { SavedStates, Wipe } from "../persistence/SavedStates.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { RequestRateLimits } from "../ratelimit/RequestRateLimits.ts"
import { TaskQueue } from "../tasks/TaskQueue.ts"
import { RandomSource } from "./RandomSource.ts"
import { type Controls, json, type Request } from "./Control.ts"
import { EmulatedClock } from "./EmulatedClock.ts"
import { Faults } from "./Faults.ts"
import { MailLog } from "./MailLog.ts"
import { RequestLog } from "./RequestLog.ts"
import { resetToSeed, SEED_ACCOUNT, SEED_KEY } from "./Seed.ts"

/** Clears the caches, which refer to the replaced data. */
const clearCaches = Effect.gen(function*() {
  yield* (yield* Authentication).clearCache
  yield* (yield* RequestLog).clear
  yield* (yield* MailLog).clear
  yield* (yield* RequestRateLimits).reset
  yield* (yield* Faults).reload
  yield* (yield* RandomSource).reset
  yield* (yield* DeployClock).changed.notifyAll
})

/**
 * Replaces all data. Tasks are stopped meanwhile, because another task may get the same id. A client that disconnects
 * must not interrupt it, which would leave old keys in the cache or the queue stopped.
 */
const replace = <E, R>(everything: Effect.Effect<void, E, R>) =>
  Effect.flatMap(TaskQueue, ({ whileStopped }) => whileStopped(Effect.andThen(everything, clearCaches))).pipe(
    Effect.uninterruptible
  )

/** Resets the data and the clock to the seed, with the same key. */
const reset = Effect.gen(function*() {
  const { everything } = yield* Wipe
  // The catalogue was valid when the emulator started.
  yield* replace(Effect.catchTag(resetToSeed(everything), "CommandRejected", Effect.die))
  return json({ ok: true, account_id: SEED_ACCOUNT, api_key: SEED_KEY })
})

const NAME_FORM = /^[A-Za-z0-9._-]{1,64}$/

const toRecord = (
  { name, savedAt }: { readonly name: string; readonly savedAt: number }
): typeof SavedState.Type => ({
  name,
  saved_at: toTimestamp(savedAt)
})

/** Saves all data and the time of the emulator's clock. */
const saveState = Effect.fnUntraced(function*(_request: Request, name: string) {
  if (!NAME_FORM.test(name)) {
    return errorResponse(404, "Invalid state name. Use 1 to 64 letters, digits, dots, dashes and underscores.")
  }
  const time = yield* EmulatedClock
  const states = yield* SavedStates
  const { now } = yield* time.read
  const state = { name, savedAt: now }
  yield* (yield* Transaction).run(Effect.andThen(time.store, states.save(state)))
  return json(toRecord(state), 201)
})

/** Continues from the time at which the state was saved. Tasks in progress are resumed at once. */
const restore = Effect.fnUntraced(function*(name: string, savedAt: number) {
  const time = yield* EmulatedClock
  const states = yield* SavedStates
  const tasks = yield* Tasks
  const settings = yield* EmulatorSettings
  const { run } = yield* Transaction
  const before = yield* time.read
  const replaceData = Effect.gen(function*() {
    yield* states.restore(name)
    yield* tasks.expireLeases
    return ((yield* settings.clock)?.frozenAt ?? null) !== null
  })
  // Only the restored data says whether the clock was frozen, but its time must be set before.
  const frozen = yield* time.at({ now: savedAt, frozen: before.frozen }, run(replaceData))
  yield* time.at({ now: savedAt, frozen }, run(time.store))
})

const restoreState = Effect.fnUntraced(function*(_request: Request, name: string) {
  const state = yield* (yield* SavedStates).find(name)
  if (state === undefined) {
    return errorResponse(404, `State ${name} not found. Save it with POST /_emulator/states/${name}.`)
  }
  yield* replace(restore(name, state.savedAt))
  return json({ ok: true, ...toRecord(state) })
})

const listStates = Effect.gen(function*() {
  return json((yield* (yield* SavedStates).list).map(toRecord))
})

export const STATES: Controls = {
  "/reset": { POST: () => reset },
  "/states": { GET: () => listStates },
  "/states/{name}": { POST: saveState },
  "/states/{name}/restore": { POST: restoreState }
}
