/** Deployments that complete after a number of reads. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import type { Caller } from "../domain/Caller.ts"
import { BeforeRead } from "../instances/Read.ts"
import { Instances } from "../persistence/Instances.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { realTimeout } from "../runtime/Time.ts"
import { runWith } from "../ServiceRuntime.ts"
import { TaskQueue } from "../tasks/TaskQueue.ts"

/** Maximum wait of a read for an instant operation, in milliseconds. Only a fault makes it take this long. */
const INSTANT_MILLIS = 250

const awaitIdle = Effect.fnUntraced(function*(instanceId: number, millis: number) {
  yield* realTimeout((yield* TaskQueue).awaitIdle(instanceId), millis, Effect.void)
})

/**
 * Counts the reads of an instance whose deployment waits for them; the read that completes the count returns it
 * deployed. When operations are instant, a read returns their result, so that clients need not poll twice.
 */
const beforeRead = Effect.fnUntraced(function*({ accountId }: Caller, instanceId: number) {
  const deploy = yield* DeployClock
  const { mode } = yield* deploy.setting
  if (mode === "after_ms") return
  const instance = yield* (yield* Instances).find(instanceId)
  // A caller who cannot read the instance does not wait for it.
  if (instance?.accountId !== accountId || instance.task === null) return
  if (mode === "instant") return yield* awaitIdle(instanceId, INSTANT_MILLIS)
  if (instance.lifecycle !== "pending") return
  if ((yield* deploy.countRead(instance.tag)) === "deployed") {
    yield* awaitIdle(instanceId, (yield* Limits).EMULATOR_SETTLE_MILLIS)
  }
})

/** Runs before every read of an instance. */
export const layer = Layer.effect(
  BeforeRead,
  Effect.map(
    Effect.context<Effect.Services<ReturnType<typeof beforeRead>>>(),
    (services) => (caller: Caller, instanceId: number) =>
      // When a count cannot be written, the deployment takes one more read.
      runWith(services)(Effect.ignore(beforeRead(caller, instanceId)))
  )
)
