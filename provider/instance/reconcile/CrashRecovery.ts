/**
 * Recovers what an earlier run of the same update did before it was cut off and could record it. It reads the activity
 * feed, and only for steps whose outcome is in doubt.
 */
import { operationsWith } from "@pulumi-vps/contract/OperationPower"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isEnded } from "../../api/Errors.ts"
import { same } from "../../definition/Properties.ts"
import { installedDetails } from "../../purchase/InstanceDetails.ts"
import type { Session } from "../../session/Session.ts"
import { findTask, hasFailed, type Task } from "../../waiting/ActivityFeed.ts"
import type { InterruptedStep, LastKnownState } from "../state/Outputs.ts"
import { isRotated, projectReinstall, recordLostPassword } from "./StepExecution.ts"
import { type History, needsRotation } from "./UpdatePlan.ts"
import { findStartedTask, project, requestIdFor, requestIdOf, toolOf, type Work } from "./Work.ts"

export interface PreviousRun {
  /** The state at the start of this run. */
  readonly state: LastKnownState
  /**
   * The target of power that the program does not manage: "on" after a purchase (an earlier destroy may have powered
   * the instance off), "as it is" after an adoption, or "as it was" before an update that was cut off.
   */
  readonly power: "on" | "as it is" | "as it was"
}

const wasInterruptedBy = (step: InterruptedStep, { interrupted = [] }: LastKnownState): boolean =>
  interrupted.includes(step)

const mayHaveReinstalled = ({ inputs }: Work, { state }: PreviousRun): boolean => {
  const { os, reinstallTriggers } = inputs
  const triggered = state.reinstallTriggers !== undefined && reinstallTriggers !== undefined
    && !same(state.reinstallTriggers, reinstallTriggers)
  return triggered || wasInterruptedBy("reinstall", state) ||
    (os !== undefined && state.os !== undefined && os !== state.os)
}

const mayHavePoweredOff = (work: Work, { power }: PreviousRun): boolean =>
  work.inputs.powerState === undefined && power === "as it was" && !project(work).on

const mayHaveSetBootMode = ({ inputs }: Work, { state }: PreviousRun): boolean =>
  inputs.bootMode !== undefined && state.bootMode !== undefined && inputs.bootMode !== state.bootMode

/** Managed from now on, and never observed. */
const hasUnobservedBoot = ({ inputs, state }: Work): boolean =>
  inputs.bootMode !== undefined && state.bootMode === undefined

const mayHaveRotated = ({ inputs }: Work, previous: PreviousRun): boolean => needsRotation(previous, inputs)

/** A refresh found the work of an update that was cut off. */
const wasInterrupted = (_: Work, { state }: PreviousRun): boolean => (state.interrupted ?? []).length > 0

/** True when an earlier run could have done more than the state shows. */
export const needsRecovery = (work: Work, previous: PreviousRun): boolean =>
  [wasInterrupted, mayHaveReinstalled, mayHavePoweredOff, mayHaveSetBootMode, hasUnobservedBoot, mayHaveRotated]
    .some((isDoubtful) => isDoubtful(work, previous))

/** Resolves the doubts, and records completed steps in `work.state`. */
export const recover = async (work: Work, previous: PreviousRun): Promise<History> => {
  const os = work.inputs.os ?? project(work).os
  if (mayHaveReinstalled(work, previous) && os !== undefined) {
    const requestId = requestIdFor(work, "reinstall", [os, work.inputs.reinstallTriggers])
    if (await findStartedTask(work, requestId) !== undefined) projectReinstall(work, os)
  }
  if (mayHaveRotated(work, previous) && await isRotated(work)) recordLostPassword(work)
  const stoppedByUs = mayHavePoweredOff(work, previous)
    && await isStoppedByUpdate(work.session, work.instance.id, work.revision)
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

/** The tasks that power an instance on in any boot mode. */
const POWER_TASKS: ReadonlySet<string | undefined> = new Set(operationsWith("on"))

/** A start that is under way may still fail. */
const hasSwitchedPower = (task: Task): boolean =>
  task.type === "stop" ? !hasFailed(task) : POWER_TASKS.has(task.type) && task.status === "succeeded"

/** True when the instance was powered off by this update, and its power was not switched since. */
const isStoppedByUpdate = async (session: Session, id: number, revision: string | undefined): Promise<boolean> => {
  const newest = await findTask(session, id, 0, hasSwitchedPower)
  return newest?.request_id === requestIdOf(session, id, revision, "stop")
}

const isReinstallByUpdate = (task: Task): boolean =>
  task.type === "reinstall" && !hasFailed(task) && toolOf(task.request_id) !== undefined

const ON: ReadonlySet<string> = new Set(["running", "rescue"])

/**
 * For `read`, which replaces the outputs by which the next update would see that an earlier one was cut off: the steps
 * that it has done according to the feed. Sends no request for a running instance with the recorded system.
 */
export const interruptedSteps = async (
  session: Session,
  instance: Instance,
  powerState: unknown,
  recorded: LastKnownState
): Promise<ReadonlyArray<InterruptedStep> | undefined> => {
  const { id, status } = instance
  const { interrupted = [], os, revision } = recorded
  const isOff = !ON.has(status) && !isEnded(status) && powerState === undefined
  const installed = installedDetails(instance).os
  const isOtherSystem = installed !== undefined && os !== undefined && installed !== os
  const steps: Array<InterruptedStep> = interrupted.filter((step) => step === "reinstall")
  if (isOff && await isStoppedByUpdate(session, id, revision)) steps.push("stop")
  if (isOtherSystem && !steps.includes("reinstall")) {
    const since = Date.parse(revision ?? "")
    if (await findTask(session, id, since, isReinstallByUpdate) !== undefined) steps.push("reinstall")
  }
  return steps.length === 0 ? undefined : steps
}
