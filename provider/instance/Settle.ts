/** Bringing an instance to what the program asks for; each finished step is recorded, so a failure resumes there. */
import type { Instance } from "#contract/Instance"
import type { WaitFor } from "../Config.ts"
import { parseDuration } from "../Duration.ts"
import { type Deadline, deadlineIn, patiently, timeLeft } from "../Patience.ts"
import { explain, Problem, TimedOut, Unfinished } from "../Problem.ts"
import { nameOf, type Properties } from "../Properties.ts"
import type { Session } from "../Session.ts"
import type { InstanceInputs, Timeouts } from "./Args.ts"
import { otherOs, otherPlan, refunded } from "./Messages.ts"
import { type Known, knownFrom, sameHostname, toOutputs } from "./Outputs.ts"
import { isEnded } from "./Policy.ts"

/** ms; a deploy takes a minute or two, a busy provider several. */
const DEFAULT_TIMEOUT = 600_000

export const timeoutOf = (inputs: Properties, phase: keyof Timeouts): number => {
  const given = (inputs["timeouts"] as Timeouts | undefined)?.[phase]
  return (given === undefined ? undefined : parseDuration(given)) ?? DEFAULT_TIMEOUT
}

export interface Target {
  readonly inputs: InstanceInputs
  readonly instance: Instance
  readonly known: Known
  /** An earlier destroy powered it off, and now it is wanted again. */
  readonly restart: boolean
  readonly phase: keyof Timeouts
}

/** What is done, and what the instance was when last seen. */
interface Work {
  readonly name: string
  readonly inputs: InstanceInputs
  readonly deadline: Deadline
  instance: Instance
  known: Known
}

/**
 * Waits as far as asked, starts it if a destroy had stopped it, sets the hostname, and reports what can't be done yet.
 * @throws Unfinished with all that is known so far when a step fails: the server exists and is paid for.
 * @throws Problem when provisioning failed: there is no server, and the money is back.
 */
export const settle = async (session: Session, target: Target): Promise<Properties> => {
  const { inputs, instance, known } = target
  const deadline = deadlineIn(session, timeoutOf({ ...inputs }, target.phase))
  const work: Work = { name: nameOf(inputs.__urn), inputs, deadline, instance, known }
  const reasons: Array<string> = []
  look(work)
  try {
    await awaitDeployment(session, work)
    if (target.restart && work.instance.status === "stopped") await powerOn(session, work)
    await setHostname(session, work)
    reasons.push(...undone(work))
  } catch (error) {
    if (work.instance.status === "failed") throw error
    reasons.push(`${work.name}: server ${instance.id} is yours, but not finished: ${reasonOf(error)}`)
  }
  const outputs = toOutputs(inputs, work.instance, work.known)
  if (reasons.length > 0) throw new Unfinished(String(instance.id), outputs, reasons)
  return outputs
}

const reasonOf = (error: unknown): string =>
  error instanceof TimedOut
    ? `${error.message}. It is paid for and will not be charged again; run \`pulumi up\` again to go on waiting`
    : `${explain(error)}. Run \`pulumi up\` again to go on; nothing is bought twice`

/** Settled: nothing is at work that would lead to another of these by itself. */
const SETTLED = new Set(["running", "stopped", "rescue"])

/** Has it come as far as `waitFor` asks? A server that has ended, or was stopped on purpose, is not waited for. */
const hasArrived = (instance: Instance, waitFor: WaitFor): boolean => {
  if (waitFor === "none" || isEnded(instance.status) || instance.status === "suspended") return true
  const deployed = Boolean(instance.provider_id) && Boolean(instance.ipv4)
  return deployed && (waitFor === "ip" || SETTLED.has(instance.status))
}

const awaitDeployment = async (session: Session, work: Work): Promise<void> => {
  const waitFor = work.inputs.waitFor ?? session.settings.waitFor
  if (!hasArrived(work.instance, waitFor)) {
    await watch(session, work, (instance) => hasArrived(instance, waitFor))
  }
  if (work.instance.status === "failed") {
    throw new Problem(`${work.name}: ${refunded(work.instance.id, { ...work.inputs })}.`)
  }
}

/** Once it is deployed the machine itself says what is installed, and that wins over what we remember. */
const look = (work: Work): void => {
  const { hostname, os } = knownFrom(toOutputs(work.inputs, work.instance, work.known))
  work.known = { ...work.known, hostname, os }
}

const watch = async (session: Session, work: Work, until: (instance: Instance) => boolean): Promise<void> => {
  work.instance = await session.watcher.wait({
    id: work.instance.id,
    name: work.name,
    timeout: timeLeft(session, work.deadline),
    // What was seen on the way is what a partial create records when the time is up.
    until: (instance) => {
      work.instance = instance
      return until(instance)
    }
  })
  look(work)
}

const powerOn = async (session: Session, work: Work): Promise<void> => {
  const { id } = work.instance
  session.host.info(`${work.name}: server ${id} was stopped; starting it`)
  await patiently(session, work.name, work.deadline, () => session.api.start(id))
  await watch(session, work, (instance) => instance.status === "running")
}

const setHostname = async (session: Session, work: Work): Promise<void> => {
  const { hostname } = work.inputs
  if (hostname === undefined || sameHostname(hostname, work.known.hostname)) return
  const { id } = work.instance
  await patiently(session, work.name, work.deadline, () => session.api.hostname(id, hostname))
  work.known = { ...work.known, hostname }
  // The answer proves the new name; what the machine said before would contradict it in the outputs.
  work.instance = withHostname(work.instance, hostname)
}

const withHostname = (instance: Instance, hostname: string): Instance => {
  try {
    const data = JSON.parse(instance.provider_data ?? "null") as Record<string, unknown> | null
    return data === null ? instance : { ...instance, provider_data: JSON.stringify({ ...data, hostname }) }
  } catch {
    return instance
  }
}

/** What the program asks for and this version can't do: the state records the server as it is, and says so. */
const undone = ({ inputs, instance, known, name }: Work): ReadonlyArray<string> => [
  ...(instance.order.service_id === inputs.serviceId ? [] : [`${name}: ${otherPlan(instance, inputs.serviceId)}.`]),
  ...(inputs.os === undefined || known.os === undefined || known.os === inputs.os
    ? []
    : [`${name}: ${otherOs(instance.id, known.os, inputs.os)}.`])
]
