/** Into the rescue system and back: the caller waits for the upstream, which is asked once. */
import * as Effect from "effect/Effect"
import type { RescueResult } from "#contract/Rescue"
import type { Caller } from "../domain/Caller.ts"
import { Limits } from "../config/Limits.ts"
import { admit, findOwn, openTask } from "./Admission.ts"
import { TaskRunner } from "./TaskRunner.ts"

type Action = "rescue_enter" | "rescue_exit"

/** Runs in one transaction. No task when the instance is there already. */
const opened = Effect.fnUntraced(function*(caller: Caller, instanceId: number, type: Action) {
  const instance = yield* findOwn(caller, instanceId)
  const taskId = (yield* admit(instance, type))
    ? yield* openTask(caller, instance, { type, params: "{}" }, (yield* Limits).LEASE_MILLIS)
    : null
  return { taskId }
})

/**
 * Sets the boot mode and restarts; `restarted` is false when the upstream was too busy for that. Fails with
 * `InstanceNotFound`, `InstanceBusy`, `InvalidState`, `UpstreamFailed` (then nothing has changed) or
 * `StorageUnavailable`.
 */
const boot = Effect.fnUntraced(function*(caller: Caller, instanceId: number, action: Action) {
  const { skipped } = yield* (yield* TaskRunner).runNow(opened(caller, instanceId, action))
  return {
    ok: true,
    action,
    boot_mode: action === "rescue_enter" ? "rescue" : "disk",
    restarted: !skipped.includes("restart")
  } satisfies RescueResult
})

export const enterRescue = (caller: Caller, instanceId: number) => boot(caller, instanceId, "rescue_enter")

export const exitRescue = (caller: Caller, instanceId: number) => boot(caller, instanceId, "rescue_exit")
