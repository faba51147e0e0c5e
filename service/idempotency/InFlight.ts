/** Creates in progress under a key: a repeat waits for the first, though not for ever. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateInProgress } from "../domain/Errors.ts"
import type { KeyOwner } from "../persistence/IdempotencyKeys.ts"
import { Limits } from "../config/Limits.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"
import { realTimeout } from "../runtime/Time.ts"

export class InFlight extends Context.Service<InFlight, {
  /**
   * Executes a create under a key of its owner. While another one is under way it waits, 5 s at most; then it
   * fails with `CreateInProgress`. What it finds afterwards is up to the create: a success replays, a failure does not.
   */
  readonly under: <A, E, R>(
    owner: KeyOwner,
    key: string,
    create: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | CreateInProgress, R>
}>()("@pulumi-vps/service/InFlight") {
  static readonly layer = Layer.effect(
    InFlight,
    Effect.map(Limits, ({ IDEMPOTENCY_WAIT_MILLIS }) => {
      const firsts = new Map<string, ConditionVariable.ConditionVariable>()
      return {
        under: <A, E, R>({ accountId, apiKeyId }: KeyOwner, key: string, create: Effect.Effect<A, E, R>) =>
          Effect.suspend((): Effect.Effect<A, E | CreateInProgress, R> => {
            const claim = `${apiKeyId ?? `account ${accountId}`} ${key}`
            const first = firsts.get(claim)
            if (first !== undefined) {
              const wait = realTimeout(first.waitSince(0), IDEMPOTENCY_WAIT_MILLIS, Effect.fail(new CreateInProgress()))
              return Effect.andThen(wait, create)
            }
            const ended = ConditionVariable.make()
            firsts.set(claim, ended)
            return Effect.ensuring(
              create,
              Effect.suspend(() => {
                firsts.delete(claim)
                return ended.notifyAll
              })
            )
          })
      }
    })
  )
}
