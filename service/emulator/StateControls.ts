/** Going back: to the seed, or to a state that was saved under a name. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Authentication } from "../auth/Authentication.ts"
import { toTimestamp } from "../domain/Calendar.ts"
import { errorResponse } from "../http/Errors.ts"
import { EmulatorSettings } from "../persistence/EmulatorSettings.ts"
import { SavedStates } from "../persistence/SavedStates.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Wipe } from "../persistence/Wipe.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { RequestRateLimits } from "../ratelimit/RequestRateLimits.ts"
import { TaskQueue } from "../tasks/Queue.ts"
import { RandomSource } from "./RandomSource.ts"
import { EmulatedClock } from "./EmulatedClock.ts"
import { Faults } from "./Faults.ts"
import { RequestLog } from "./RequestLog.ts"
import { SEED_ACCOUNT, SEED_KEY } from "./Seed.ts"
import { resetToSeed } from "./Seed.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What is kept in memory and speaks of what was there before. */
const forgetEverything = Effect.gen(function*() {
  yield* (yield* Authentication).clearCache
  yield* (yield* RequestLog).clear
  yield* (yield* RequestRateLimits).reset
  yield* (yield* Faults).reload
  yield* (yield* RandomSource).reset
  yield* (yield* DeployClock).changed.notifyAll
})

/**
 * Replaces everything. Work on tasks is stopped meanwhile: it must not meet another's task under the same id. A caller
 * that goes away must not leave half of it: old keys in the cache, or a queue that stands still.
 */
const replace = <E, R>(everything: Effect.Effect<void, E, R>) =>
  Effect.flatMap(TaskQueue, ({ whileStopped }) => whileStopped(Effect.andThen(everything, forgetEverything))).pipe(
    Effect.uninterruptible
  )

/** Back to the seed, with the same key; the clock too. */
export const reset = Effect.gen(function*() {
  const { everything } = yield* Wipe
  // The catalogue was taken when the emulator started.
  yield* replace(Effect.catchTag(resetToSeed(everything), "CommandRejected", Effect.die))
  return HttpServerResponse.jsonUnsafe({ ok: true, account_id: SEED_ACCOUNT, api_key: SEED_KEY })
})

const NAME_FORM = /^[A-Za-z0-9._-]{1,64}$/

const shown = ({ name, savedAt }: { readonly name: string; readonly savedAt: number }) => ({
  name,
  saved_at: toTimestamp(savedAt)
})

/** Saves everything as it is at this moment of the emulator's clock. */
export const saveState = Effect.fnUntraced(function*(_request: Request, name: string) {
  if (!NAME_FORM.test(name)) {
    return errorResponse(404, "A state's name has 1 to 64 letters, digits, dots, dashes, underscores.")
  }
  const time = yield* EmulatedClock
  const states = yield* SavedStates
  const { now } = yield* time.read
  const state = { name, savedAt: now }
  yield* (yield* Transaction).run(Effect.andThen(time.store, states.save(state)))
  return HttpServerResponse.jsonUnsafe(shown(state), { status: 201 })
})

/** Goes on from the moment at which it was saved. What was in work then is taken up again at once. */
const goBackTo = Effect.fnUntraced(function*(name: string, savedAt: number) {
  const time = yield* EmulatedClock
  const states = yield* SavedStates
  const tasks = yield* Tasks
  const settings = yield* EmulatorSettings
  const { run } = yield* Transaction
  const before = yield* time.read
  const put = Effect.gen(function*() {
    yield* states.restore(name)
    yield* tasks.expireLeases
    return ((yield* settings.clock)?.frozenAt ?? null) !== null
  })
  // Whether it stood then is known once it is back; that it shows the right moment must be so before.
  const frozen = yield* time.at({ now: savedAt, frozen: before.frozen }, run(put))
  yield* time.at({ now: savedAt, frozen }, run(time.store))
})

export const restoreState = Effect.fnUntraced(function*(_request: Request, name: string) {
  const state = yield* (yield* SavedStates).find(name)
  if (state === undefined) {
    return errorResponse(404, `There is no state ${name}: save it with POST /_emulator/states/${name}.`)
  }
  yield* replace(goBackTo(name, state.savedAt))
  return HttpServerResponse.jsonUnsafe({ ok: true, ...shown(state) })
})

export const listStates = Effect.gen(function*() {
  return HttpServerResponse.jsonUnsafe((yield* (yield* SavedStates).list).map(shown))
})
