/** Waiting for an instance's tasks to end. */
import type { LiveStatus, Task } from "#contract/Monitoring"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Call } from "../calls/Caller.ts"
import type { CallFailure } from "../chain/Handler.ts"
import type { CallOptions, IdleProgress, WaitOptions } from "../options/Options.ts"
import type { ApiResponse } from "../chain/Request.ts"
import type { PollScheduler } from "./PollScheduler.ts"
import { type Goal, type WaitFailure, waitFor } from "./Wait.ts"

/** What nothing changes but a new task or the customer's money. Any other status, an unknown one too, is busy. */
const SETTLED: ReadonlySet<string> = new Set([
  "running",
  "stopped",
  "rescue",
  "suspended",
  "expired",
  "failed",
  "deleted"
])

const isSettled = ({ status }: { readonly status: string }): boolean => SETTLED.has(status)

/** What a look at the tasks of an instance sees; from a list its status only. */
export interface Activity {
  readonly status: string
  readonly task: Task | null | undefined
  readonly live: LiveStatus | undefined
}

type Status = (id: number, options?: CallOptions) => Call<LiveStatus>

/** Waits, and answers the live status that ended the wait. */
export const waitForIdle = (
  goal: Goal<Activity, IdleProgress>,
  turns: PollScheduler,
  options: WaitOptions<IdleProgress>
): Effect.Effect<ApiResponse<LiveStatus>, WaitFailure> =>
  Effect.map(waitFor(goal, turns, options), ({ data, response }) => ({ data: data.live!, response }))

/** A task may leave the status as it is, so a status that has settled is only a reason to ask for more. */
export const idle = (id: number, status: Status): Goal<Activity, IdleProgress> => ({
  id,
  wanted: "idle",
  resume: "waitUntilIdle",
  look: (options) =>
    Effect.map(status(id, options), (answer) => ({
      ...answer,
      data: { status: answer.data.status, task: answer.data.task, live: answer.data }
    })),
  listed: (instance) => ({ status: instance.status, task: undefined, live: undefined }),
  enough: (instance) => !isSettled(instance),
  reached: (seen) => Effect.succeed(isIdle(seen)),
  show: ({ task }) => ({ task }),
  instanceIn: () => undefined
})

// A host that tells no tasks is taken at its status.
const isIdle = ({ live }: Activity): boolean => live !== undefined && (live.task ?? null) === null && isSettled(live)

export type BootMode = "rescue" | "disk"

/** Idle after booting in this mode. `reboot` is asked for when the host was too busy to do it. */
export const booted = (
  id: number,
  mode: BootMode,
  status: Status,
  reboot: Effect.Effect<unknown, CallFailure> | undefined
): Goal<Activity, IdleProgress> => {
  let open = reboot
  let acting = false
  return {
    ...idle(id, status),
    wanted: `booted in ${mode} mode`,
    resume: mode === "rescue" ? "rescue.enterAndWait" : "rescue.exitAndWait",
    acting: () => acting ? `/instances/${id}/restart` : undefined,
    reached: (seen) => {
      if (!isIdle(seen)) return Effect.succeed(false)
      if (open === undefined) return Effect.succeed(seen.live?.boot_mode === mode)
      acting = true
      return open.pipe(
        Effect.map(() => {
          open = undefined
          return false
        }),
        // Not when it is interrupted: then the reboot may have been carried out.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            acting = exit._tag === "Failure" && Cause.hasInterrupts(exit.cause)
          })
        ),
        // Another task came first: the reboot is asked for again when that has ended.
        Effect.catchIf(isBusy, () => Effect.succeed(false))
      )
    }
  }
}

const isBusy = (error: CallFailure): boolean => error._tag === "ConflictError" && error.retryAfter !== undefined
