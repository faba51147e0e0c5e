/**
 * What an earlier run of this very update has done, when it was cut off before the state could hold it. The activity
 * feed is asked, and only about what is in doubt.
 */
import { findTask } from "../../waiting/ActivityFeed.ts"
import { same } from "../../definition/Properties.ts"
import type { Known } from "../state/LastKnownState.ts"
import { needsRotation, type Remembered } from "./Plan.ts"
import { isRotated, noteLost } from "./PasswordRotation.ts"
import { reinstalled } from "./Steps.ts"
import { begun, mark, observed, type Work } from "./Work.ts"

export interface Before {
  /** As the state held it when this run began. */
  readonly known: Known
  /**
   * Power that the program does not manage: is it to be on (it is wanted back, and an earlier destroy may have powered
   * it off), as it is (it was taken over), or as it was before an update that was cut off?
   */
  readonly power: "on" | "as it is" | "as it was"
}

const ofReinstall = ({ inputs }: Work, { known }: Before): boolean => {
  const { os, reinstallTriggers } = inputs
  const triggered = known.reinstallTriggers !== undefined && reinstallTriggers !== undefined
    && !same(known.reinstallTriggers, reinstallTriggers)
  return triggered || (os !== undefined && known.os !== undefined && os !== known.os)
}

const ofPower = (work: Work, { power }: Before): boolean =>
  work.inputs.powerState === undefined && power === "as it was" && !observed(work).on

const ofBoot = ({ inputs }: Work, { known }: Before): boolean =>
  inputs.bootMode !== undefined && known.bootMode !== undefined && inputs.bootMode !== known.bootMode

/** Managed from now on, and never looked at. */
const ofSight = ({ inputs, known }: Work): boolean => inputs.bootMode !== undefined && known.bootMode === undefined

const ofRotation = ({ inputs }: Work, before: Before): boolean => needsRotation(before, inputs)

/** Could an earlier run have done more than the state tells? */
export const isInDoubt = (work: Work, before: Before): boolean =>
  [ofReinstall, ofPower, ofBoot, ofSight, ofRotation].some((doubt) => doubt(work, before))

/** Settles the doubts; what was done is taken into `work.known`. */
export const recall = async (work: Work, before: Before): Promise<Remembered> => {
  const os = work.inputs.os ?? observed(work).os
  if (ofReinstall(work, before) && os !== undefined) {
    const requestId = mark(work, "reinstall", [os, work.inputs.reinstallTriggers])
    if (await begun(work, requestId) !== undefined) reinstalled(work, os)
  }
  if (ofRotation(work, before) && await isRotated(work)) noteLost(work)
  const stoppedByUs = ofPower(work, before) && await begun(work, mark(work, "stop")) !== undefined
  return {
    known: work.known,
    wasOn: observed(work).on || before.power === "on" || stoppedByUs,
    rebootDue: ofBoot(work, before) && await isRebootDue(work)
  }
}

/**
 * The boot mode is as wanted. Was the server rebooted, too, or was the run cut off before it could make up for a reboot
 * that the service was too busy for? The feed does not tell, so it is rebooted once more, unless that was done.
 */
const isRebootDue = async (work: Work): Promise<boolean> => {
  const { inputs, instance, known, session } = work
  if (!observed(work).on || known.bootMode !== inputs.bootMode) return false
  const set = await begun(work, mark(work, "boot", inputs.bootMode))
  if (set === undefined) return false
  const restart = await findTask(session, instance.id, 0, ({ id, type }) => type === "restart" && id > set.id)
  return restart === undefined
}
