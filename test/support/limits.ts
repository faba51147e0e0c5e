/** The limits by default, for tests that need a value or build layers of their own. */
import * as Layer from "effect/Layer"
import { LIMITS, Limits, type LimitValues } from "#service/config/Limits"
import { resolveLimits } from "#service/config/Limit"

export const DEFAULT_LIMITS: LimitValues = resolveLimits(LIMITS, () => undefined)

/** The defaults, with some of them changed. */
export const limitsLayer = (changed: Partial<LimitValues> = {}): Layer.Layer<Limits> =>
  Layer.succeed(Limits, { ...DEFAULT_LIMITS, ...changed })
