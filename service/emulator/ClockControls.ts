/** The controls of the clock, and of the duration of deployments. */
import * as Effect from "effect/Effect"
import { ClockBody, type ClockReading, DeployBody } from "../contract/Emulator.ts"
import type { DeployMode } from "../contract/Words.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import type { DeploySetting } from "../persistence/SimulatedMachines.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { type Controls, decodeBody, json, missingField, type Request } from "./Control.ts"
import { EmulatedClock } from "./EmulatedClock.ts"

const showClock = Effect.gen(function*() {
  const { frozen, now } = yield* (yield* EmulatedClock).read
  return json({ now: toTimestamp(now), frozen } satisfies typeof ClockReading.Type)
})

/** Advances, freezes or unfreezes the clock. An advance returns when everything that became due is done. */
const setClock = Effect.fnUntraced(function*(request: Request) {
  const { advance_ms: millis, freeze } = yield* decodeBody(request, ClockBody)
  const time = yield* EmulatedClock
  if (freeze === undefined && millis === undefined) return yield* missingField("advance_ms")
  if (freeze !== undefined) yield* time.freeze(freeze)
  if (millis !== undefined) yield* time.advance(millis)
  return yield* showClock
})

/** The setting with its default value. */
export const deployOf = (
  { mode, value }: typeof DeployBody.Type,
  { EMULATOR_DEPLOY_MILLIS }: LimitValues
): DeploySetting => {
  const defaults: Readonly<Record<DeployMode, number>> = {
    instant: 0,
    after_ms: EMULATOR_DEPLOY_MILLIS,
    after_polls: 1
  }
  return { mode, value: mode === "instant" ? 0 : value ?? defaults[mode] }
}

const setDeploy = Effect.fnUntraced(function*(request: Request) {
  const setting = deployOf(yield* decodeBody(request, DeployBody), yield* Limits)
  yield* (yield* DeployClock).set(setting)
  return json(setting)
})

export const CLOCK: Controls = {
  "/clock": { GET: () => showClock, POST: setClock },
  "/deploy": { PUT: setDeploy }
}
