/** Bringing an instance to what the program asks for; each finished step is recorded, so a failure resumes there. */
import type { Instance } from "#contract/Instance"
import type { WaitFor } from "../../Config.ts"
import { parseDuration } from "../../definition/Duration.ts"
import { deadlineIn } from "../../waiting/Retry.ts"
import { explain, PartialCreateError, sentence, UserError, WaitTimeoutError } from "../../api/Errors.ts"
import { nameOf, type Properties, TIMEOUT } from "../../definition/Properties.ts"
import type { Session } from "../../session/Session.ts"
import { announceSteps } from "./UpdatePreview.ts"
import type { InstanceInputs, Timeouts } from "../Definition.ts"
import type { LastKnownState } from "../state/LastKnownState.ts"
import { toOutputs } from "../state/Outputs.ts"
import { describeStep, describeSteps, type History, obstacle, plan, type Step } from "./Plan.ts"
import { isEnded } from "../../api/InstanceStatus.ts"
import { isInDoubt, type PreviousRun, recover } from "./CrashRecovery.ts"
import { advanceRevision, execute } from "./Steps.ts"
import {
  assertProvisioned,
  observeBoot,
  observeUntil,
  observeUntilSettled,
  project,
  projectInstalled,
  type Work
} from "./Work.ts"
import { isSettled } from "../../api/InstanceStatus.ts"

/** ms; a deploy takes a minute or two, a busy provider several. */
const DEFAULT_TIMEOUT = 600_000
/** ms; a server that a failure left powered off is started again, also when the time for the update is up. */
const RESTORE_TIMEOUT = 120_000

export const timeoutOf = (inputs: Properties, phase: keyof Timeouts): number => {
  if (typeof inputs[TIMEOUT] === "number") return inputs[TIMEOUT]
  const given = (inputs["timeouts"] as Timeouts | undefined)?.[phase]
  return (given === undefined ? undefined : parseDuration(given)) ?? DEFAULT_TIMEOUT
}

export interface ReconcileRequest {
  readonly inputs: InstanceInputs
  readonly instance: Instance
  readonly state: LastKnownState
  readonly previous: PreviousRun
  readonly phase: keyof Timeouts
}

/**
 * Waits as far as asked, and carries out what differs.
 * @throws PartialCreateError with all that is known so far when a step fails: the server exists and is paid for.
 * @throws UserError when provisioning failed: there is no server, and the money is back.
 */
export const reconcile = async (session: Session, target: ReconcileRequest): Promise<Properties> => {
  const { previous, inputs, instance, state, phase } = target
  const deadline = deadlineIn(session, timeoutOf({ ...inputs }, phase))
  const name = nameOf(inputs.__urn)
  const work: Work = {
    session,
    name,
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
    await converge(work, previous)
  } catch (error) {
    if (work.instance.status === "failed") throw error
    throw new PartialCreateError(String(instance.id), toOutputs(inputs, work.instance, work.state), [
      describeFailure(work, error)
    ])
  }
  const { passwordRotation, reinstallTriggers } = inputs
  work.state = { ...work.state, passwordRotation, reinstallTriggers }
  // A purchase that needed no step has used up no mark.
  if (phase === "update" || work.completed.length > 0) advanceRevision(work)
  return toOutputs(inputs, work.instance, work.state)
}

/** Something stands in the way of the whole plan: nothing was begun. */
class PlanBlockedError extends UserError {}

const describeFailure = ({ currentStep, completed, instance, name }: Work, error: unknown): string => {
  const server = `${name}: server ${instance.id}`
  // Problems of other rooms name the resource, too.
  const said = sentence(explain(error))
  const why = said.startsWith(`${name}: `) ? said.slice(name.length + 2) : said
  if (error instanceof PlanBlockedError) return `${server} was not changed: ${why}`
  if (currentStep !== undefined) {
    const late = error instanceof WaitTimeoutError ||
      (error instanceof UserError && error.cause instanceof WaitTimeoutError)
    const going = late ? " What was begun goes on by itself." : ""
    const before = completed.length === 0 ? "" : ` Done before it: ${describeSteps(completed)}.`
    return `${server} could not ${
      describeStep(currentStep)
    }: ${why}${going}${before} Run \`pulumi up\` again to go on from there.`
  }
  const next = error instanceof WaitTimeoutError
    ? "It is paid for and will not be charged again; run `pulumi up` again to go on waiting."
    : "Run `pulumi up` again to go on; nothing is bought twice."
  return `${server} is yours, but not finished: ${why} ${next}`
}

/** Has it come as far as `waitFor` asks? A server that has ended, or was stopped on purpose, is not waited for. */
const isReady = (instance: Instance, waitFor: WaitFor): boolean => {
  if (waitFor === "none" || isEnded(instance.status) || instance.status === "suspended") return true
  const deployed = Boolean(instance.provider_id) && Boolean(instance.ipv4)
  return deployed && (waitFor === "ip" || isSettled(instance.status))
}

const awaitDeployment = async (work: Work): Promise<void> => {
  const waitFor = work.inputs.waitFor ?? work.session.settings.waitFor
  if (!isReady(work.instance, waitFor)) await observeUntil(work, (instance) => isReady(instance, waitFor))
  assertProvisioned(work)
}

/** Observes, plans and carries out. Nothing beyond the list is asked for when there is nothing to do. */
const converge = async (work: Work, before: PreviousRun): Promise<void> => {
  const { inputs } = work
  const guess = { state: work.state, wasOn: before.power === "on" || project(work).on, rebootDue: false }
  const isDone = plan(project(work), guess, inputs).length === 0 && !isInDoubt(work, before)
  if (isDone && !isPowering(work)) return
  await observeUntilSettled(work)
  await observeBoot(work)
  const remembered = await recover(work, before)
  const reason = obstacle(project(work), remembered, inputs)
  if (reason !== undefined) throw new PlanBlockedError(reason)
  await executePlan(work, plan(project(work), remembered, inputs), remembered)
}

const POWERING = new Set(["starting", "stopping", "restarting"])

/** What an earlier run has begun, that was cut off, counts when it is done: it may fail. */
const isPowering = ({ inputs, instance }: Work): boolean =>
  inputs.powerState !== undefined && POWERING.has(instance.status)

const executePlan = async (work: Work, steps: ReadonlyArray<Step>, remembered: History): Promise<void> => {
  if (steps.length > 0) announceSteps(work.session, work.name, work.instance.id, steps)
  try {
    for (const step of steps) {
      work.currentStep = step
      await execute(work, step)
    }
    work.currentStep = undefined
  } catch (error) {
    throw await restorePower(work, remembered, error)
  }
}

/** After these it is on. */
const BOOTS: ReadonlySet<Step["do"]> = new Set(["start", "restart", "reinstall", "boot"])

/** A failure must not leave a server off that was on; answers what to report. */
const restorePower = async (work: Work, { wasOn }: History, error: unknown): Promise<unknown> => {
  const { completed, inputs, instance, session } = work
  const wantedOn = inputs.powerState === undefined ? wasOn : inputs.powerState === "running"
  const stopped = completed.some((step) => step.do === "stop") && !completed.some((step) => BOOTS.has(step.do))
  const isOff = stopped || !project(work).on
  if (!wantedOn || !isOff || isEnded(instance.status)) return error
  const failedAt = work.currentStep
  try {
    work.deadline = deadlineIn(session, RESTORE_TIMEOUT)
    await execute(work, { do: "start" })
    work.completed.pop()
    return new UserError(`${sentence(explain(error))} It was powered on again`, { cause: error })
  } catch (again) {
    return new UserError(
      `${sentence(explain(error))} It is still powered off, and powering it on failed too: ${explain(again)}`,
      { cause: error }
    )
  } finally {
    work.currentStep = failedAt
  }
}
