/** Reads instances. Another account's, deleted and missing ones are all reported as not found. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Instance } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InstanceNotFound } from "../domain/Errors.ts"
import { InstanceCache } from "../persistence/Caches.ts"
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

const findInstance = Effect.fnUntraced(function*({ accountId }: Caller, instanceId: number) {
  const found = yield* (yield* Instances).show(accountId, instanceId)
  return found ?? (yield* new InstanceNotFound({ instanceId }))
})

/** Renders an instance, once until anything is written. */
export const getInstance = Effect.fnUntraced(function*<A>(
  caller: Caller,
  instanceId: number,
  render: (instance: Instance) => A
) {
  const beforeRead = yield* BeforeRead
  if (beforeRead !== undefined) yield* beforeRead(caller, instanceId)
  const cached = yield* InstanceCache
  return yield* cached(caller.accountId, instanceId, Effect.map(findInstance(caller, instanceId), render))
})
