/** Brings an instance to the state that the program declares; a failure resumes after the last completed step. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isDocumentedStatus, isSettled } from "@pulumi-vps/sdk/client/host/Statuses"
import { DeadlineError, explain, isEnded, PartialCreateError, sentence, UserError } from "../../api/Errors.ts"
import type { WaitFor } from "../../Config.ts"
import { nameOf, type Properties } from "../../definition/Properties.ts"
import type { Session } from "../../session/Session.ts"
import { deadlineIn, timeoutOf } from "../../waiting/Retry.ts"
import { asInputs, type InstanceInputs, type Timeouts } from "../Definition.ts"
import { withIso } from "../PlanName.ts"
import { type LastKnownState, toOutputs } from "../state/Outputs.ts"
import { needsRecovery, type PreviousRun, recover } from "./CrashRecovery.ts"
import { describeStep, describeSteps, type History, obstacle, plan, type Step } from "./UpdatePlan.ts"
import { advanceRevision, BOOTS, execute } from "./StepExecution.ts"
import { announceSteps } from "./UpdatePreview.ts"
import {
  assertProvisioned,
  observeBoot,
  observeUntil,
  observeUntilSettled,
  project,
  projectInstalled,
  type Work
} from "./Work.ts"

/** ms; an instance that a failure left powered off is started again, even after the deadline of the update. */
const RESTORE_TIMEOUT = 120_000

export interface ReconcileRequest {
  readonly inputs: InstanceInputs
  readonly instance: Instance
  readonly state: LastKnownState
  readonly previous: PreviousRun
  readonly phase: keyof Timeouts
}

/**
 * Waits as long as `waitFor` says, then applies the differences.
 * @throws PartialCreateError with the last known state when a step fails: the instance exists and is paid for.
 * @throws UserError when provisioning failed: there is no instance, and the purchase is refunded.
 */
export const reconcile = async (session: Session, request: ReconcileRequest): Promise<Properties> => {
  const { inputs, instance, phase, previous, state } = request
  const deadline = deadlineIn(session, timeoutOf({ ...inputs }, phase))
  const work: Work = {
    session,
    name: nameOf(inputs.__urn),
    inputs,
    deadline,
    revision: state.revision,
    instance,
    state,
    completed: [],
    currentStep: undefined
  }
  try {
    projectInstalled(work)
    await awaitDeployment(work)
    await findIso(work)
    await converge(work, previous)
  } catch (error) {
    if (work.instance.status === "failed") throw error
    const outputs = toOutputs(inputs, work.instance, work.state)
    throw new PartialCreateError(String(work.instance.id), outputs, [describeFailure(work, error)])
  }
  const { passwordRotation, reinstallTriggers } = inputs
  work.state = { ...work.state, passwordRotation, reinstallTriggers, interrupted: undefined }
  // A purchase without further steps has sent no request under its revision.
  if (phase === "update" || work.completed.length > 0) advanceRevision(work)
  return toOutputs(inputs, work.instance, work.state)
}

/** The whole plan is blocked: nothing was started. */
class PlanBlockedError extends UserError {}

const describeFailure = ({ completed, currentStep, instance, name, session }: Work, error: unknown): string => {
  const { update } = session.words
  const subject = `${name}: instance ${instance.id}`
  // Some errors already begin with the resource's name.
  const text = sentence(explain(error))
  const why = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text
  if (error instanceof PlanBlockedError) return `${subject} was not changed: ${why}`
  if (currentStep !== undefined) {
    const isLate = error instanceof DeadlineError
      || (error instanceof UserError && error.cause instanceof DeadlineError)
    const pending = isLate ? " The operation continues in the background." : ""
    const before = completed.length === 0 ? "" : ` Completed before it: ${describeSteps(completed)}.`
    return `${subject} could not ${
      describeStep(currentStep)
    }: ${why}${pending}${before} Run ${update} again to continue.`
  }
  const next = error instanceof DeadlineError
    ? `It is paid for and will not be charged again. Run ${update} again to keep waiting.`
    : `Run ${update} again to continue; nothing is bought twice.`
  return `${subject} was created but is not ready yet: ${why} ${next}`
}

/** True when the instance has reached the state of `waitFor`. An ended or suspended one is not waited for. */
const isReady = (instance: Instance, waitFor: WaitFor): boolean => {
  if (waitFor === "none" || isEnded(instance.status) || instance.status === "suspended") return true
  const isDeployed = Boolean(instance.provider_id) && Boolean(instance.ipv4)
  // A status that is not known says nothing more.
  return isDeployed && (waitFor === "ip" || isSettled(instance.status) || !isDocumentedStatus(instance.status))
}

const awaitDeployment = async (work: Work): Promise<void> => {
  const waitFor = work.inputs.waitFor ?? work.session.settings.waitFor
  if (!isReady(work.instance, waitFor)) await observeUntil(work, (instance) => isReady(instance, waitFor))
  assertProvisioned(work)
}

/** Finds the image that the program sets by its name. */
const findIso = async (work: Work): Promise<void> => {
  const { inputs, instance, session, state } = work
  try {
    work.inputs = asInputs(await withIso(session, instance.id, state, { ...inputs }))
  } catch (error) {
    throw new PlanBlockedError(explain(error), error)
  }
  const { iso, isoId } = work.inputs
  work.state = { ...state, iso: isoId === state.isoId ? iso : undefined }
}

/** Observes, plans and executes. Without differences it sends no request besides the list of instances. */
const converge = async (work: Work, previous: PreviousRun): Promise<void> => {
  const { inputs } = work
  const guess = { state: work.state, wasOn: previous.power === "on" || project(work).on, rebootDue: false }
  const isDone = plan(project(work), guess, inputs).length === 0 && !needsRecovery(work, previous)
  // A power task of an earlier run that was cut off counts only when it has ended: it may fail.
  if (isDone && !SWITCHING_POWER.has(work.instance.status)) return
  await observeUntilSettled(work)
  await observeBoot(work)
  const history = await recover(work, previous)
  const reason = obstacle(work.session.words, project(work), history, inputs)
  if (reason !== undefined) throw new PlanBlockedError(reason)
  await executePlan(work, plan(project(work), history, inputs), history)
}

const SWITCHING_POWER = new Set(["starting", "stopping", "restarting"])

const executePlan = async (work: Work, steps: ReadonlyArray<Step>, history: History): Promise<void> => {
  if (steps.length > 0) announceSteps(work.session, work.name, work.instance.id, steps)
  try {
    for (const step of steps) {
      work.currentStep = step
      await execute(work, step)
    }
    work.currentStep = undefined
  } catch (error) {
    throw await restorePower(work, history, error)
  }
}

/** A failure must not leave an instance off that was on. Returns the error to report. */
const restorePower = async (work: Work, { wasOn }: History, error: unknown): Promise<unknown> => {
  const { completed, inputs, instance, session } = work
  const wantsOn = inputs.powerState === undefined ? wasOn : inputs.powerState === "running"
  const wasStopped = completed.some((step) => step.do === "stop") && !completed.some((step) => BOOTS.has(step.do))
  const isOff = wasStopped || !project(work).on
  if (!wantsOn || !isOff || isEnded(instance.status)) return error
  const failedStep = work.currentStep
  try {
    work.deadline = deadlineIn(session, RESTORE_TIMEOUT)
    await execute(work, { do: "start" })
    work.completed.pop()
    return new UserError(`${sentence(explain(error))} It was powered on again`, error)
  } catch (again) {
    return new UserError(
      `${sentence(explain(error))} It is still powered off, because powering it on failed, too: ${explain(again)}`,
      error
    )
  } finally {
    work.currentStep = failedStep
  }
}
