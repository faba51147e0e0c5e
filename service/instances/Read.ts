/** Reads instances. Another account's, deleted and missing ones are all reported as not found. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { InstanceNotFound } from "../domain/Errors.ts"
import { Instances } from "../persistence/Instances.ts"

/** A hook that runs before an instance is read by its id: the emulator counts polls with it. */
export const BeforeRead = Context.Reference<((caller: Caller, instanceId: number) => Effect.Effect<void>) | undefined>(
  "pulumi-vps/service/BeforeRead",
  { defaultValue: () => undefined }
)

/** The account's instances, by id. */
export const listInstances = Effect.fnUntraced(function*(caller: Caller) {
  return yield* (yield* Instances).list(caller.accountId)
})

export const getInstance = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const beforeRead = yield* BeforeRead
  if (beforeRead !== undefined) yield* beforeRead(caller, instanceId)
  const found = yield* (yield* Instances).show(caller.accountId, instanceId)
  return found ?? (yield* new InstanceNotFound({ instanceId }))
})
