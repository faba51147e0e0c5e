/** The limits by default, for tests that need a value or build layers of their own. */
import * as Layer from "effect/Layer"
import { LIMITS, Limits, type LimitValues } from "#service/config/Limits"
import { resolveLimits } from "#service/config/Limit"

export const DEFAULT_LIMITS: LimitValues = resolveLimits(LIMITS, () => undefined)

/** The defaults, with some of them changed. Commits share what arrives in one turn: `settle` waits for no real time. */
export const limitsLayer = (changed: Partial<LimitValues> = {}): Layer.Layer<Limits> =>
  Layer.succeed(Limits, { ...DEFAULT_LIMITS, COMMIT_DELAY_MILLIS: 0, ...changed })
