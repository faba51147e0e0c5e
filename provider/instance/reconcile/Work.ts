/** One create or update of one instance: its target, the last observed state, and the ways to observe it again. */
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type { Instance, LiveStatus } from "@pulumi-vps/sdk/client/Records"
import { isDocumentedStatus, isSettled } from "@pulumi-vps/sdk/client/host/Statuses"
import { explain, isRefusal, isUnanswered, UserError } from "../../api/Errors.ts"
import type { Session } from "../../session/Session.ts"
import { findTask, hasFailed, type Task } from "../../waiting/ActivityFeed.ts"
import { type Deadline, retryIdempotent, timeLeft } from "../../waiting/Retry.ts"
import type { BootMode, InstanceInputs } from "../Definition.ts"
import { type LastKnownState, lastKnownState, toOutputs } from "../state/Outputs.ts"
import { refunded } from "../state/Messages.ts"
import type { Words } from "../../HostWords.ts"
import type { Observed, Step } from "./UpdatePlan.ts"
import { createHash } from "node:crypto"

export interface Work {
  readonly session: Session
  readonly name: string
  /** With the `isoId` of an `iso`, once the instance exists. */
  inputs: InstanceInputs
  deadline: Deadline
  /** Identifies this update in request ids, also after a step has advanced the state's: see `RequestIds.ts`. */
  readonly revision: string | undefined
  instance: Instance
  state: LastKnownState
  /** Steps that this run has executed. */
  readonly completed: Array<Step>
  currentStep: Step | undefined
}

/** Updates the state with the details that the instance itself shows: they override recorded ones. */
export const projectInstalled = (work: Work): void => {
  const { hostname, os } = lastKnownState(toOutputs(work.inputs, work.instance, work.state))
  work.state = { ...work.state, hostname, os }
}

/** Waits in the shared loop; after a timeout a partial result records the last observed instance. */
export const observeUntil = async (work: Work, until: (instance: Instance) => boolean): Promise<void> => {
  work.instance = await work.session.watcher.wait({
    id: work.instance.id,
    name: work.name,
    timeout: timeLeft(work.session, work.deadline),
    until: (instance) => {
      work.instance = instance
      return until(instance)
    }
  })
  projectInstalled(work)
}

/** @throws UserError when provisioning failed: there is no instance, and the purchase is refunded. */
export const assertProvisioned = ({ inputs, instance, name, session }: Work): void => {
  if (instance.status !== "failed") return
  session.wallet.refunded(inputs.__purchaseKey)
  throw new UserError(`${name}: ${refunded(session.words, instance.id, { ...inputs })}.`)
}

/** Of a status that is not known, nothing says that the instance is busy: then the host refuses the next request. */
export const observeUntilSettled = async (work: Work): Promise<void> => {
  const isFree = ({ status }: Instance): boolean => isSettled(status) || !isDocumentedStatus(status)
  if (!isFree(work.instance)) await observeUntil(work, isFree)
  assertProvisioned(work)
}

/** The booted mode of an instance that is on: a reboot into the mode that is set may be owed. Undefined: not shown. */
const bootModeOf = ({ boot_mode: set, booted, power }: View<LiveStatus>): BootMode | undefined => {
  const mode = power === "on" ? booted : set
  return mode === undefined ? undefined : mode === "rescue" ? "rescue" : "disk"
}

/** Boot mode and virtual drive, when the program manages them or the state has an image: the list shows neither. */
export const observeBootState = async (
  session: Session,
  id: number,
  inputs: InstanceInputs,
  state: LastKnownState
): Promise<LastKnownState> => {
  const boot = inputs.bootMode !== undefined
  const iso = inputs.isoId !== undefined || state.isoId !== undefined
  if (!boot && !iso) return state
  const status = await session.api.status(id)
  // Where the host shows neither, what this resource has set last counts.
  const mounted = status.iso_id === undefined ? state.isoId : status.iso_id ?? undefined
  // An image that someone else mounted in place of ours is not ours to unmount.
  const ours = inputs.isoId !== undefined || mounted === state.isoId
  return {
    ...state,
    bootMode: boot ? bootModeOf(status) ?? state.bootMode : undefined,
    isoId: iso && ours ? mounted : undefined,
    iso: mounted !== undefined && mounted === inputs.isoId ? inputs.iso : undefined
  }
}

export const observeBoot = async (work: Work): Promise<void> => {
  work.state = await observeBootState(work.session, work.instance.id, work.inputs, work.state)
}

/** By the status, or where its words are not known here, by the one after a stop, or the last request. */
export const isOnBy = (status: string, { isOff, offStatus }: LastKnownState): boolean => {
  if (isDocumentedStatus(status)) return status !== "stopped" && status !== "stopping"
  return offStatus === undefined ? isOff !== true : status !== offStatus
}

export const project = ({ inputs, instance, state }: Work): Observed => ({
  id: instance.id,
  status: instance.status,
  suspendedReason: instance.suspended_reason ?? undefined,
  serviceId: instance.order.service_id,
  hostname: state.hostname,
  os: state.os,
  on: isOnBy(instance.status, state),
  bootMode: inputs.bootMode === undefined ? undefined : state.bootMode,
  isoId: state.isoId
})

/** `value`: the target of the step, where it can change between two runs. */
export const requestIdFor = ({ instance, revision, session }: Work, step: RequestStep, value?: unknown): string =>
  requestIdOf(session, instance.id, revision, step, value)

/** The task that this update has started with this request id, if any; a failed one did nothing. */
export const findStartedTask = ({ instance, session }: Work, requestId: string): Promise<Task | undefined> =>
  findTask(session, instance.id, 0, (task) => task.request_id === requestId && !hasFailed(task))

// Requests that must not be executed twice: their ids, and how an earlier run's effect is found.

// The request ids by which an update that was cut off recognizes its own work in the next run: every request that must
// not be sent twice has an `X-Request-Id` derived from the instance, the update and the step, and the activity feed
// shows it. The revision identifies the update: the time at which the state recorded the previous one.

export type RequestStep = "stop" | "resize" | "reinstall" | "boot" | "password"

const digest = (parts: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** 128 bits never collide. */
const REQUEST_ID_DIGITS = 32

/** `value` is the step's target: another target is another request. */
export const requestIdOf = (
  { words }: Pick<Session, "words">,
  id: number,
  revision: string | undefined,
  step: RequestStep,
  value?: unknown
): string => `${words.prefix}-${digest([id, revision ?? null, step, value ?? null]).slice(0, REQUEST_ID_DIGITS)}`

const TOOLS: Readonly<Record<string, string>> = { pulumi: "Pulumi", terraform: "Terraform" } satisfies Record<
  Words["prefix"],
  string
>

/** The tool whose provider sent a request, of this stack or another; undefined for any other request. */
export const toolOf = (requestId: string | null | undefined): string | undefined =>
  TOOLS[requestId?.split("-")[0] ?? ""]

/** Enough to distinguish the few snapshots of an instance. */
const NAME_DIGITS = 8

/** The name of this update's snapshot, which is looked up before one is taken. */
export const snapshotName = (prefix: string, id: number, revision: string | undefined): string =>
  `${prefix}-${digest([id, revision ?? null, "snapshot"]).slice(0, NAME_DIGITS)}`

/**
 * After an error with an unknown outcome, `find` looks for the effect; when it finds nothing, a 502 or 503 is followed
 * by another call. After a lost answer the request may still be in flight, so the next run looks again first.
 */
export const sendOnce = <A>(
  { deadline, name, session }: Work,
  call: () => Promise<A>,
  find: () => Promise<A | undefined>
): Promise<A> =>
  retryIdempotent(session, name, deadline, async () => {
    try {
      return await call()
    } catch (error) {
      const found = isRefusal(error) ? undefined : await find()
      if (found !== undefined) return found
      throw isUnanswered(error) ? new UserError(explain(error), error) : error
    }
  })
