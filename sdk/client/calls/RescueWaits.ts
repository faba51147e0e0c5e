import * as Effect from "effect/Effect"
import type { LiveStatus } from "../Records.ts"
import type { WaitCall } from "../chain/Handler.ts"
import type { CallOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import { booted, type BootMode, waitForIdle } from "../wait/IdleGoal.ts"
import type { PollScheduler } from "../wait/PollScheduler.ts"
import { problemWithWait } from "../wait/Wait.ts"
import type { Calls } from "./Endpoint.ts"
import type { monitoring } from "./Monitoring.ts"
import type { power } from "./Power.ts"
import type { rescue } from "./Rescue.ts"

type RescueOptions = WaitOptions<IdleProgress>

/** The calls of `rescue` that wait for the reboot. */
export const rescueWaits = (
  { enter, exit }: Calls<typeof rescue>,
  { status }: Calls<typeof monitoring>,
  { restart }: Calls<typeof power>,
  scheduler: PollScheduler
) => {
  const boot = (mode: BootMode, id: number, options: RescueOptions): WaitCall<LiveStatus> => {
    const problem = problemWithWait(options)
    if (problem !== undefined) return Effect.fail(problem)
    return Effect.flatMap((mode === "rescue" ? enter : exit)(id, options), ({ data: { restarted } }) => {
      // The server has set the boot mode but was too busy to reboot, so the client must request the reboot.
      const reboot = restarted ? undefined : restart(id, withoutSignal(options))
      return waitForIdle(booted(id, mode, status, reboot), scheduler, options)
    })
  }
  return {
    /**
     * Boots the rescue system and waits until it runs. Reboots the instance if the server was too busy to
     * (`restarted: false`). Returns the live status once no task is open and it has `booted` `rescue`.
     *
     * @example
     * await vps.rescue.enterAndWait(42, { onProgress: ({ status }) => console.log(status) })
     */
    enterAndWait: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
      boot("rescue", id, options),

    /**
     * Boots from the disk again and waits for it, like `enterAndWait`.
     *
     * @example
     * const { booted } = await vps.rescue.exitAndWait(42)
     * console.log(booted) // disk
     */
    exitAndWait: (id: number, options: WaitOptions<IdleProgress> = {}): WaitCall<LiveStatus> =>
      boot("disk", id, options)
  }
}

/** The wait itself listens to the signal: its error says more than that of a single request. */
const withoutSignal = ({ headers, maxRetries, timeout }: CallOptions): CallOptions => ({ headers, maxRetries, timeout })
