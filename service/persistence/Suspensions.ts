/** Instances that an operator holds back: powered off, and closed to their owner until it is lifted. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Power } from "../domain/InstanceStatus.ts"

export class Suspensions extends Context.Service<Suspensions, {
  /** Suspends an active instance, and remembers the power that it has to come back to. */
  readonly suspend: (instanceId: number, reason: string) => Effect.Effect<void>
  /**
   * Lifts it and answers the power that it had. An expired instance stays expired, and has that power once it is
   * renewed. Undefined when it was not suspended.
   */
  readonly lift: (instanceId: number) => Effect.Effect<Power | undefined>
}>()("pulumi-vps/service/Suspensions") {}
