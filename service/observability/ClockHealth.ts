/** Checks for load balancers and operators whether the time is trusted. */
import * as Effect from "effect/Effect"
import { ClockTrust } from "../persistence/clock/ClockTrust.ts"

/** Null while it is. */
export const clockDoubt = Effect.map(ClockTrust, ({ doubt }) => doubt())
