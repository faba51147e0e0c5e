/**
 * What an earlier run of this very update has done, when it was cut off before the state could hold it. The activity
 * feed is asked, and only about what is in doubt.
 */
import { findTask } from "../../waiting/ActivityFeed.ts"
import { same } from "../../definition/Properties.ts"
import type { LastKnownState } from "../state/LastKnownState.ts"
import { type History, needsRotation } from "./Plan.ts"
import { isRotated, recordLostPassword } from "./PasswordRotation.ts"
import { projectReinstall } from "./Steps.ts"
import { findStartedTask, project, requestIdFor, type Work } from "./Work.ts"

export interface PreviousRun {
  /** As the state held it when this run began. */
  readonly state: LastKnownState
  /**
   * Power that the program does not manage: is it to be on (it is wanted back, and an earlier destroy may have powered
   * it off), as it is (it was taken over), or as it was before an update that was cut off?
   */
  readonly power: "on" | "as it is" | "as it was"
}

const ofReinstall = ({ inputs }: Work, { state }: PreviousRun): boolean => {
  const { os, reinstallTriggers } = inputs
  const triggered = state.reinstallTriggers !== undefined && reinstallTriggers !== undefined
    && !same(state.reinstallTriggers, reinstallTriggers)
  return triggered || (os !== undefined && state.os !== undefined && os !== state.os)
}

const ofPower = (work: Work, { power }: PreviousRun): boolean =>
  work.inputs.powerState === undefined && power === "as it was" && !project(work).on

const ofBoot = ({ inputs }: Work, { state }: PreviousRun): boolean =>
  inputs.bootMode !== undefined && state.bootMode !== undefined && inputs.bootMode !== state.bootMode

/** Managed from now on, and never looked at. */
const ofSight = ({ inputs, state }: Work): boolean => inputs.bootMode !== undefined && state.bootMode === undefined

const ofRotation = ({ inputs }: Work, before: PreviousRun): boolean => needsRotation(before, inputs)

/** Could an earlier run have done more than the state tells? */
export const isInDoubt = (work: Work, before: PreviousRun): boolean =>
  [ofReinstall, ofPower, ofBoot, ofSight, ofRotation].some((doubt) => doubt(work, before))

/** Settles the doubts; what was done is taken into `work.known`. */
export const recover = async (work: Work, before: PreviousRun): Promise<History> => {
  const os = work.inputs.os ?? project(work).os
  if (ofReinstall(work, before) && os !== undefined) {
    const requestId = requestIdFor(work, "reinstall", [os, work.inputs.reinstallTriggers])
    if (await findStartedTask(work, requestId) !== undefined) projectReinstall(work, os)
  }
  if (ofRotation(work, before) && await isRotated(work)) recordLostPassword(work)
  const stoppedByUs = ofPower(work, before) && await findStartedTask(work, requestIdFor(work, "stop")) !== undefined
  return {
    state: work.state,
    wasOn: project(work).on || before.power === "on" || stoppedByUs,
    rebootDue: ofBoot(work, before) && await isRebootDue(work)
  }
}

/**
 * The boot mode is as wanted. Was the server rebooted, too, or was the run cut off before it could make up for a reboot
 * that the service was too busy for? The feed does not tell, so it is rebooted once more, unless that was done.
 */
const isRebootDue = async (work: Work): Promise<boolean> => {
  const { inputs, instance, state, session } = work
  if (!project(work).on || state.bootMode !== inputs.bootMode) return false
  const set = await findStartedTask(work, requestIdFor(work, "boot", inputs.bootMode))
  if (set === undefined) return false
  const restart = await findTask(session, instance.id, 0, ({ id, type }) => type === "restart" && id > set.id)
  return restart === undefined
}
