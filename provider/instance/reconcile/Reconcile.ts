/** Bringing an instance to what the program asks for; each finished step is recorded, so a failure resumes there. */
import type { Instance } from "#contract/Instance"
import type { WaitFor } from "../../Config.ts"
import { parseDuration } from "../../definition/Duration.ts"
import { deadlineIn } from "../../waiting/Retry.ts"
import { explain, Problem, sentence, TimedOut, Unfinished } from "../../api/Errors.ts"
import { nameOf, type Properties, TIMEOUT } from "../../definition/Properties.ts"
import type { Session } from "../../session/Session.ts"
import { tellSteps } from "./UpdatePreview.ts"
import type { InstanceInputs, Timeouts } from "../Args.ts"
import type { Known } from "../state/LastKnownState.ts"
import { toOutputs } from "../state/Outputs.ts"
import { obstacle, phrase, phrases, plan, type Remembered, type Step } from "./Plan.ts"
import { isEnded } from "../DeletionPolicy.ts"
import { type Before, isInDoubt, recall } from "./CrashRecovery.ts"
import { carryOut, moveOn } from "./Steps.ts"
import { inspect, isSettled, look, mustExist, observed, rest, watch, type Work } from "./Work.ts"

/** ms; a deploy takes a minute or two, a busy provider several. */
const DEFAULT_TIMEOUT = 600_000
/** ms; a server that a failure left powered off is started again, also when the time for the update is up. */
const RESTORE_TIMEOUT = 120_000

export const timeoutOf = (inputs: Properties, phase: keyof Timeouts): number => {
  if (typeof inputs[TIMEOUT] === "number") return inputs[TIMEOUT]
  const given = (inputs["timeouts"] as Timeouts | undefined)?.[phase]
  return (given === undefined ? undefined : parseDuration(given)) ?? DEFAULT_TIMEOUT
}

export interface Target {
  readonly inputs: InstanceInputs
  readonly instance: Instance
  readonly known: Known
  readonly before: Before
  readonly phase: keyof Timeouts
}

/**
 * Waits as far as asked, and carries out what differs.
 * @throws Unfinished with all that is known so far when a step fails: the server exists and is paid for.
 * @throws Problem when provisioning failed: there is no server, and the money is back.
 */
export const settle = async (session: Session, target: Target): Promise<Properties> => {
  const { before, inputs, instance, known, phase } = target
  const deadline = deadlineIn(session, timeoutOf({ ...inputs }, phase))
  const name = nameOf(inputs.__urn)
  const work: Work = { session, name, inputs, deadline, epoch: known.epoch, instance, known, done: [], at: undefined }
  try {
    look(work)
    await awaitDeployment(work)
    await reach(work, before)
  } catch (error) {
    if (work.instance.status === "failed") throw error
    throw new Unfinished(String(instance.id), toOutputs(inputs, work.instance, work.known), [reasonOf(work, error)])
  }
  const { passwordRotation, reinstallTriggers } = inputs
  work.known = { ...work.known, passwordRotation, reinstallTriggers }
  // A purchase that needed no step has used up no mark.
  if (phase === "update" || work.done.length > 0) moveOn(work)
  return toOutputs(inputs, work.instance, work.known)
}

/** Something stands in the way of the whole plan: nothing was begun. */
class Refused extends Problem {}

const reasonOf = ({ at, done, instance, name }: Work, error: unknown): string => {
  const server = `${name}: server ${instance.id}`
  // Problems of other rooms name the resource, too.
  const said = sentence(explain(error))
  const why = said.startsWith(`${name}: `) ? said.slice(name.length + 2) : said
  if (error instanceof Refused) return `${server} was not changed: ${why}`
  if (at !== undefined) {
    const late = error instanceof TimedOut || (error instanceof Problem && error.cause instanceof TimedOut)
    const going = late ? " What was begun goes on by itself." : ""
    const before = done.length === 0 ? "" : ` Done before it: ${phrases(done)}.`
    return `${server} could not ${phrase(at)}: ${why}${going}${before} Run \`pulumi up\` again to go on from there.`
  }
  const next = error instanceof TimedOut
    ? "It is paid for and will not be charged again; run `pulumi up` again to go on waiting."
    : "Run `pulumi up` again to go on; nothing is bought twice."
  return `${server} is yours, but not finished: ${why} ${next}`
}

/** Has it come as far as `waitFor` asks? A server that has ended, or was stopped on purpose, is not waited for. */
const hasArrived = (instance: Instance, waitFor: WaitFor): boolean => {
  if (waitFor === "none" || isEnded(instance.status) || instance.status === "suspended") return true
  const deployed = Boolean(instance.provider_id) && Boolean(instance.ipv4)
  return deployed && (waitFor === "ip" || isSettled(instance.status))
}

const awaitDeployment = async (work: Work): Promise<void> => {
  const waitFor = work.inputs.waitFor ?? work.session.settings.waitFor
  if (!hasArrived(work.instance, waitFor)) await watch(work, (instance) => hasArrived(instance, waitFor))
  mustExist(work)
}

/** Observes, plans and carries out. Nothing beyond the list is asked for when there is nothing to do. */
const reach = async (work: Work, before: Before): Promise<void> => {
  const { inputs } = work
  const guess = { known: work.known, wasOn: before.power === "on" || observed(work).on, rebootDue: false }
  const isDone = plan(observed(work), guess, inputs).length === 0 && !isInDoubt(work, before)
  if (isDone && !isPowering(work)) return
  await rest(work)
  await inspect(work)
  const remembered = await recall(work, before)
  const reason = obstacle(observed(work), remembered, inputs)
  if (reason !== undefined) throw new Refused(reason)
  await follow(work, plan(observed(work), remembered, inputs), remembered)
}

const POWERING = new Set(["starting", "stopping", "restarting"])

/** What an earlier run has begun, that was cut off, counts when it is done: it may fail. */
const isPowering = ({ inputs, instance }: Work): boolean =>
  inputs.powerState !== undefined && POWERING.has(instance.status)

const follow = async (work: Work, steps: ReadonlyArray<Step>, remembered: Remembered): Promise<void> => {
  if (steps.length > 0) tellSteps(work.session, work.name, work.instance.id, steps)
  try {
    for (const step of steps) {
      work.at = step
      await carryOut(work, step)
    }
    work.at = undefined
  } catch (error) {
    throw await withPower(work, remembered, error)
  }
}

/** After these it is on. */
const BOOTS: ReadonlySet<Step["do"]> = new Set(["start", "restart", "reinstall", "boot"])

/** A failure must not leave a server off that was on; answers what to report. */
const withPower = async (work: Work, { wasOn }: Remembered, error: unknown): Promise<unknown> => {
  const { done, inputs, instance, session } = work
  const wantedOn = inputs.powerState === undefined ? wasOn : inputs.powerState === "running"
  const stopped = done.some((step) => step.do === "stop") && !done.some((step) => BOOTS.has(step.do))
  const isOff = stopped || !observed(work).on
  if (!wantedOn || !isOff || isEnded(instance.status)) return error
  const failedAt = work.at
  try {
    work.deadline = deadlineIn(session, RESTORE_TIMEOUT)
    await carryOut(work, { do: "start" })
    work.done.pop()
    return new Problem(`${sentence(explain(error))} It was powered on again`, { cause: error })
  } catch (again) {
    return new Problem(
      `${sentence(explain(error))} It is still powered off, and powering it on failed too: ${explain(again)}`,
      { cause: error }
    )
  } finally {
    work.at = failedAt
  }
}
