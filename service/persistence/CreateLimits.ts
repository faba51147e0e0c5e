/** How often each account may create, and how far it has used that up. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface OwnLimits {
  /** Null is the service's own limit. */
  readonly perMinute: number | null
  readonly perHour: number | null
}

export interface CreateLimit extends OwnLimits {
  /** GCRA's moments, in epoch milliseconds; 0 for who has never created. */
  readonly minuteArrival: number
  readonly hourArrival: number
}

export class CreateLimits extends Context.Service<CreateLimits, {
  /** A defect when there is no such account. */
  readonly find: (accountId: number) => Effect.Effect<CreateLimit>
  readonly take: (accountId: number, minuteArrival: number, hourArrival: number) => Effect.Effect<void>
  /** Limits of the account's own; false when there is no such account. */
  readonly set: (accountId: number, limits: OwnLimits) => Effect.Effect<boolean>
}>()("pulumi-vps/service/CreateLimits") {}
