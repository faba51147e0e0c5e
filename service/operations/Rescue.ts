/**
 * Into the rescue system and back: the boot mode is set, then the machine is restarted. The caller waits. The upstream
 * may refuse the restart; then the boot mode is set, and the next request makes the reboot that is owed.
 */
import * as Effect from "effect/Effect"
import type { RescueResult } from "@pulumi-vps/contract/Rescue"
import type { Caller } from "../domain/Caller.ts"
import { Instances } from "../persistence/Instances.ts"
import { define, NoParams } from "./Operation.ts"
import { runNow } from "./Enqueue.ts"

const BOOT_MODES = { rescue_enter: "rescue", rescue_exit: "disk" } as const

type Action = keyof typeof BOOT_MODES

const booting = <const T extends Action>(type: T) => {
  const bootMode = BOOT_MODES[type]
  const set: { readonly type: Action } = { type }
  return define<T, NoParams>({
    type,
    params: NoParams,
    retry: "single",
    execute: () =>
      Effect.succeed([
        set,
        { operation: { type: "restart", bootMode }, optional: ({ _tag }) => _tag !== "Unavailable" }
      ]),
    complete: Effect.fnUntraced(function*({ instance }, { done: [set, restarted] }) {
      const instances = yield* Instances
      if (set !== undefined) yield* instances.setBootMode(instance.id, bootMode)
      if (restarted !== undefined) yield* instances.setPower(instance.id, "on")
    }),
    settle: {
      left: "the machine may boot another mode than our record says",
      supersededBy: ["rescue_enter", "rescue_exit", "restart"]
    }
  })
}

export const RescueEnter = booting("rescue_enter")
export const RescueExit = booting("rescue_exit")

const RESCUE = { rescue_enter: RescueEnter, rescue_exit: RescueExit }

/** Sets the boot mode and restarts; `restarted` is false if the upstream refused that. Fails like `runNow`. */
const boot = Effect.fnUntraced(function*(caller: Caller, instanceId: number, action: Action) {
  const { skipped } = yield* runNow({ caller, instanceId, task: RESCUE[action].task({}) })
  return {
    ok: true,
    action,
    boot_mode: BOOT_MODES[action],
    restarted: !skipped.includes("restart")
  } satisfies RescueResult
})

export const enterRescue = (caller: Caller, instanceId: number) => boot(caller, instanceId, "rescue_enter")

export const exitRescue = (caller: Caller, instanceId: number) => boot(caller, instanceId, "rescue_exit")
