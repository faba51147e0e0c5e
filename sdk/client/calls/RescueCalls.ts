/** The calls of `rescue`, and the waits for the reboot that they ask for. */
import type { LiveStatus } from "#contract/Monitoring"
import type { RescueResult } from "#contract/Rescue"
import * as Effect from "effect/Effect"
import type { CallOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import { booted, type BootMode, waitForIdle } from "../wait/IdleGoal.ts"
import type { PollScheduler } from "../wait/PollScheduler.ts"
import { problemWithWait } from "../wait/Wait.ts"
import { type Caller, one, type Wait, withoutSignal } from "./Caller.ts"
import { monitoringCalls, powerCalls } from "./Calls.ts"

type RescueOptions = WaitOptions<IdleProgress>

export const rescueCalls = (call: Caller, turns: PollScheduler) => {
  const enter = (id: number, options?: CallOptions) => call<RescueResult>("rescue.enter", one(id), options)
  const exit = (id: number, options?: CallOptions) => call<RescueResult>("rescue.exit", one(id), options)
  const { status } = monitoringCalls(call)
  const { restart } = powerCalls(call)

  const boot = (mode: BootMode, id: number, options: RescueOptions = {}): Wait<LiveStatus> => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    const begun = mode === "rescue" ? enter(id, options) : exit(id, options)
    return Effect.flatMap(begun, ({ data: { restarted } }) => {
      // The host has set the mode and was too busy to reboot, so that is the client's to ask for.
      const reboot = restarted ? undefined : restart(id, withoutSignal(options))
      return waitForIdle(booted(id, mode, status, reboot), turns, options)
    })
  }

  return {
    enter,
    exit,
    enterAndWait: (id: number, options?: RescueOptions) => boot("rescue", id, options),
    exitAndWait: (id: number, options?: RescueOptions) => boot("disk", id, options)
  }
}
