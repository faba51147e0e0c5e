/** One create or update of one instance: what it is to become, what was last seen, and how to look again. */
import type { Instance } from "#contract/Instance"
import type { LiveStatus, Task } from "#contract/Monitoring"
import { endedBadly, findTask } from "../../waiting/ActivityFeed.ts"
import { type Deadline, timeLeft } from "../../waiting/Retry.ts"
import { Problem } from "../../api/Errors.ts"
import type { Session } from "../../session/Session.ts"
import type { InstanceInputs } from "../Args.ts"
import type { BootMode } from "../Definition.ts"
import { type Known, knownFrom } from "../state/LastKnownState.ts"
import { refunded } from "../state/Messages.ts"
import { type Marked, markOf } from "./RequestIds.ts"
import { toOutputs } from "../state/Outputs.ts"
import type { Observed, Step } from "./Plan.ts"
import { isEnded } from "../DeletionPolicy.ts"

export interface Work {
  readonly session: Session
  readonly name: string
  readonly inputs: InstanceInputs
  deadline: Deadline
  /** Names this update in marks, also after it has recorded a step: see `Marks.ts`. */
  readonly epoch: string | undefined
  instance: Instance
  known: Known
  /** Steps that this run has carried out. */
  readonly done: Array<Step>
  /** The step that it is at. */
  at: Step | undefined
}

/** Settled: nothing is at work that would lead to another status by itself. An unknown one counts as busy. */
const SETTLED = new Set(["running", "stopped", "rescue", "suspended"])

export const isSettled = (status: string): boolean => SETTLED.has(status) || isEnded(status)

/** Takes in what the machine itself says is installed: that wins over what is remembered. */
export const look = (work: Work): void => {
  const { hostname, os } = knownFrom(toOutputs(work.inputs, work.instance, work.known))
  work.known = { ...work.known, hostname, os }
}

/** Waits in the shared loop; what was seen on the way is what a partial result records when the time is up. */
export const watch = async (work: Work, until: (instance: Instance) => boolean): Promise<void> => {
  work.instance = await work.session.watcher.wait({
    id: work.instance.id,
    name: work.name,
    timeout: timeLeft(work.session, work.deadline),
    until: (instance) => {
      work.instance = instance
      return until(instance)
    }
  })
  look(work)
}

/** @throws Problem when provisioning failed: there is no server, and the money is back. */
export const mustExist = ({ inputs, instance, name }: Work): void => {
  if (instance.status === "failed") throw new Problem(`${name}: ${refunded(instance.id, { ...inputs })}.`)
}

export const rest = async (work: Work): Promise<void> => {
  if (!isSettled(work.instance.status)) await watch(work, ({ status }) => isSettled(status))
  mustExist(work)
}

const bootModeOf = (status: LiveStatus): BootMode => status.boot_mode === "rescue" ? "rescue" : "disk"

/** Boot mode and virtual drive, where the program manages them or state remembers an image: the list shows neither. */
export const live = async (session: Session, id: number, inputs: InstanceInputs, known: Known): Promise<Known> => {
  const boot = inputs.bootMode !== undefined
  const iso = inputs.isoId !== undefined || known.isoId !== undefined
  if (!boot && !iso) return known
  const status = await session.api.status(id)
  const mounted = status.iso_id ?? undefined
  // An image that somebody else put in place of ours is not ours to unmount.
  const ours = inputs.isoId !== undefined || mounted === known.isoId
  return {
    ...known,
    bootMode: boot ? bootModeOf(status) : undefined,
    isoId: iso && ours ? mounted : undefined
  }
}

export const inspect = async (work: Work): Promise<void> => {
  work.known = await live(work.session, work.instance.id, work.inputs, work.known)
}

export const observed = ({ inputs, instance, known }: Work): Observed => ({
  id: instance.id,
  status: instance.status,
  suspendedReason: instance.suspended_reason ?? undefined,
  serviceId: instance.order.service_id,
  hostname: known.hostname,
  os: known.os,
  on: instance.status !== "stopped" && instance.status !== "stopping",
  bootMode: inputs.bootMode === undefined ? undefined : known.bootMode,
  isoId: known.isoId
})

/** `what`: the step, and the value that it is to bring about where that can change between two runs. */
export const mark = ({ epoch, instance }: Work, what: Marked, value?: unknown): string =>
  markOf(instance.id, epoch, what, value)

/** The task that this update has begun under a mark, if it has; one that failed did nothing. */
export const begun = ({ instance, session }: Work, requestId: string): Promise<Task | undefined> =>
  findTask(session, instance.id, 0, (task) => task.request_id === requestId && !endedBadly(task))
