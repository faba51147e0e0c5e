/**
 * Recovers what an earlier run of the same update did before it was cut off and could record it. It reads the activity
 * feed, and only for steps whose outcome is in doubt.
 */
import { same } from "../../definition/Properties.ts"
import { findTask } from "../../waiting/ActivityFeed.ts"
import type { LastKnownState } from "../state/LastKnownState.ts"
import { isRotated, recordLostPassword } from "./PasswordRotation.ts"
import { type History, needsRotation } from "./Plan.ts"
import { projectReinstall } from "./Steps.ts"
import { findStartedTask, project, requestIdFor, type Work } from "./Work.ts"

export interface PreviousRun {
  /** The state at the start of this run. */
  readonly state: LastKnownState
  /**
   * The target of power that the program does not manage: "on" after a purchase (an earlier destroy may have powered
   * the instance off), "as it is" after an adoption, or "as it was" before an update that was cut off.
   */
  readonly power: "on" | "as it is" | "as it was"
}

const mayHaveReinstalled = ({ inputs }: Work, { state }: PreviousRun): boolean => {
  const { os, reinstallTriggers } = inputs
  const triggered = state.reinstallTriggers !== undefined && reinstallTriggers !== undefined
    && !same(state.reinstallTriggers, reinstallTriggers)
  return triggered || (os !== undefined && state.os !== undefined && os !== state.os)
}

const mayHavePoweredOff = (work: Work, { power }: PreviousRun): boolean =>
  work.inputs.powerState === undefined && power === "as it was" && !project(work).on

const mayHaveSetBootMode = ({ inputs }: Work, { state }: PreviousRun): boolean =>
  inputs.bootMode !== undefined && state.bootMode !== undefined && inputs.bootMode !== state.bootMode

/** Managed from now on, and never observed. */
const hasUnobservedBoot = ({ inputs, state }: Work): boolean =>
  inputs.bootMode !== undefined && state.bootMode === undefined

const mayHaveRotated = ({ inputs }: Work, previous: PreviousRun): boolean => needsRotation(previous, inputs)

/** True when an earlier run could have done more than the state shows. */
export const needsRecovery = (work: Work, previous: PreviousRun): boolean =>
  [mayHaveReinstalled, mayHavePoweredOff, mayHaveSetBootMode, hasUnobservedBoot, mayHaveRotated]
    .some((isDoubtful) => isDoubtful(work, previous))

/** Resolves the doubts, and records completed steps in `work.state`. */
export const recover = async (work: Work, previous: PreviousRun): Promise<History> => {
  const os = work.inputs.os ?? project(work).os
  if (mayHaveReinstalled(work, previous) && os !== undefined) {
    const requestId = requestIdFor(work, "reinstall", [os, work.inputs.reinstallTriggers])
    if (await findStartedTask(work, requestId) !== undefined) projectReinstall(work, os)
  }
  if (mayHaveRotated(work, previous) && await isRotated(work)) recordLostPassword(work)
  const stoppedByUs = mayHavePoweredOff(work, previous) &&
    await findStartedTask(work, requestIdFor(work, "stop")) !== undefined
  return {
    state: work.state,
    wasOn: project(work).on || previous.power === "on" || stoppedByUs,
    rebootDue: mayHaveSetBootMode(work, previous) && await isRebootDue(work)
  }
}

/**
 * The boot mode is set, but the run may have been cut off before a reboot that the service was too busy for. The feed
 * does not show that, so the instance is rebooted once more, unless it has a later restart.
 */
const isRebootDue = async (work: Work): Promise<boolean> => {
  const { inputs, instance, state, session } = work
  if (!project(work).on || state.bootMode !== inputs.bootMode) return false
  const set = await findStartedTask(work, requestIdFor(work, "boot", inputs.bootMode))
  if (set === undefined) return false
  const restart = await findTask(session, instance.id, 0, ({ id, type }) => type === "restart" && id > set.id)
  return restart === undefined
}
