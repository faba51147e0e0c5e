/** How often each account may create; where it stands is read with the account. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Creates } from "./Accounts.ts"

export class CreateLimits extends Context.Service<CreateLimits, {
  /** Remembers GCRA's moments, in epoch milliseconds. */
  readonly take: (accountId: number, minuteArrival: number, hourArrival: number) => Effect.Effect<void>
  /** Limits of the account's own; false when there is no such account. */
  readonly set: (accountId: number, limits: Pick<Creates, "perMinute" | "perHour">) => Effect.Effect<boolean>
}>()("pulumi-vps/service/CreateLimits") {}
