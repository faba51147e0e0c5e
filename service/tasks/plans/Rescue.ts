/**
 * Into the rescue system and back: the boot mode is set, then the machine is restarted. An upstream that is busy may
 * refuse the restart; the boot mode stays set then, and the customer restarts.
 */
import * as Effect from "effect/Effect"
import type { BootMode } from "../../domain/InstanceStatus.ts"
import { Instances } from "../../persistence/Instances.ts"
import type { Operation } from "../../provisioning/Driver.ts"
import { nothingToRecord, type Saga, SINGLE_ATTEMPT, type Step, type TaskContext } from "../../operations/Saga.ts"

const setting = (bootMode: BootMode): Operation => ({ type: bootMode === "rescue" ? "rescue_enter" : "rescue_exit" })

export const rescue = ({ instance }: TaskContext, bootMode: BootMode): Saga => ({
  retry: SINGLE_ATTEMPT,
  steps: Effect.succeed(
    [
      { operation: setting(bootMode), compensate: setting(instance.bootMode) },
      { operation: { type: "restart", bootMode }, optional: ({ _tag }) => _tag === "Busy" }
    ] satisfies ReadonlyArray<Step>
  ),
  complete: Effect.fnUntraced(function*({ done: [, restarted] }) {
    const instances = yield* Instances
    yield* instances.setBootMode(instance.id, bootMode)
    if (restarted !== undefined) yield* instances.setPower(instance.id, "on")
  }),
  fail: nothingToRecord,
  compensation: null
})
