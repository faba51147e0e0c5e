/** Executes the steps of a plan. A request that must not be executed twice is looked for before it is sent. */
import { snapshotsNamed } from "@pulumi-vps/sdk/client/host/SnapshotsNamed"
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type { ActionResult, Instance, Snapshot } from "@pulumi-vps/sdk/client/Records"
import { isDocumentedStatus } from "@pulumi-vps/sdk/client/host/Statuses"
import { DeadlineError, explain, isRefusal, raisedChargeOf, sentence, statusOf, UserError } from "../../api/Errors.ts"
import { withInstalled } from "../../purchase/InstanceDetails.ts"
import { formatAmount } from "../../purchase/Money.ts"
import { showsTasks } from "../../waiting/ActivityFeed.ts"
import { awaitChange, awaitWork, isQuiet, type Observe, reportInferred, type Sign } from "../../waiting/Completion.ts"
import { retryIdempotent, retryIfBusy } from "../../waiting/Retry.ts"
import type { BootMode } from "../Definition.ts"
import type { Step } from "./UpdatePlan.ts"
import { priceRaised } from "../state/Messages.ts"
import { guardResize, refuseRaised } from "./UpdatePreview.ts"
import {
  findStartedTask,
  observeUntil,
  observeUntilSettled,
  projectInstalled,
  requestIdFor,
  sendOnce,
  snapshotName,
  type Work
} from "./Work.ts"
import { poll } from "../../waiting/InstanceWatcher.ts"

// Sets a new root password. The service returns it once and stores no copy, so the call is never repeated.

const rotationRequestId = (work: Work): string => requestIdFor(work, "password", work.inputs.passwordRotation)

/** True when an earlier run of this update set it and was cut off before the state recorded it. */
export const isRotated = async (work: Work): Promise<boolean> =>
  (await findStartedTask(work, rotationRequestId(work)))?.status === "succeeded"

/** Records that a password was set that this process has not received. */
export const recordLostPassword = (work: Work): void => {
  const { instance, state, name, session } = work
  work.state = { ...state, passwordRotation: work.inputs.passwordRotation, rootPassword: undefined }
  session.host.warn(
    `${name}: a new root password was set on instance ${instance.id}, but the response with it was lost. The service `
      + `sent a copy by email to the account's owner. Change ${
        session.words.input("passwordRotation")
      } to set another password`
  )
}

const rotatePassword = async (work: Work): Promise<void> => {
  const { inputs, name, session } = work
  const { id } = work.instance
  const requestId = rotationRequestId(work)
  try {
    const { password } = await retryIfBusy(
      session,
      name,
      work.deadline,
      () => session.api.resetPassword(id, requestId)
    )
    work.state = { ...work.state, passwordRotation: inputs.passwordRotation, rootPassword: password }
  } catch (error) {
    if (isRefusal(error)) throw error
    // The password may be another one now, and without a feed nothing shows that: another one is set by the next run.
    if (!await showsTasks(session, id)) {
      throw new UserError(`${sentence(explain(error))} This host does not show whether a password was set`, error)
    }
    // A failed task has not set a password.
    if (!await isRotated(work)) {
      throw new UserError(`${sentence(explain(error))} According to the activity feed, no password was set`, error)
    }
    recordLostPassword(work)
  }
}

// Takes a snapshot before a risky change; an existing one is found by its name.

/** @throws UserError when the host returns no list in which a snapshot could be found. */
const findNamed = async ({ instance: { id }, session }: Work, name: string): Promise<View<Snapshot> | undefined> => {
  const all = await session.api.snapshots(id)
  if (all === undefined) {
    throw new UserError(
      "this host returns no list of snapshots that can be read, so one could not be found again. Nothing was changed. "
        + `Remove ${session.words.input("snapshotBefore")}`
    )
  }
  return snapshotsNamed(name, all).find(({ status }) => status !== "failed")
}

const takeSnapshot = async (work: Work, prefix: string): Promise<void> => {
  const { deadline, instance: { id, status: before }, revision, name: resource, session } = work
  const name = snapshotName(prefix, id, revision)
  let isListed = await findNamed(work, name) !== undefined
  if (!isListed) isListed = await request(work, name)
  const found = await poll(session, {
    name: resource,
    subject: `snapshot ${name} of instance ${id}`,
    deadline,
    observe: async () => {
      const snapshot = await findNamed(work, name)
      // A host that returns no record of it may list it only when it is taken.
      if (snapshot === undefined && !isListed) return undefined
      if (snapshot === undefined) throw new UserError(`snapshot ${name} of instance ${id} could not be taken`)
      return snapshot.status === undefined || snapshot.status === "available" ? snapshot : undefined
    }
  })
  const action = `taking snapshot ${name}`
  if (found.status === undefined) {
    await awaitChange(session, { instanceId: id, name: resource, deadline, action, before, taskId: undefined })
  }
  session.host.info(`${resource}: snapshot ${name} of instance ${id} was taken`)
}

/** Returns true if the host shows the snapshot from now on. */
const request = async (work: Work, name: string): Promise<boolean> => {
  const { session } = work
  const { id } = work.instance
  try {
    const send = async () => (await session.api.snapshotCreate(id, name)).snapshot ?? {}
    return (await sendOnce(work, send, () => findNamed(work, name))).id !== undefined
  } catch (error) {
    if (statusOf(error) === 409) {
      throw new UserError(
        `snapshot ${name} could not be taken, so nothing was changed: ${
          sentence(explain(error))
        } Delete an older one first`,
        error
      )
    }
    throw error
  }
}

type Handlers = {
  readonly [Name in Step["do"]]: (work: Work, step: Extract<Step, { readonly do: Name }>) => Promise<void>
}

export const execute = async (work: Work, step: Step): Promise<void> => {
  const { status: before } = work.instance
  await work.session.host.checkpoint()
  await (HANDLERS[step.do] as (work: Work, step: Step) => Promise<void>)(work, step)
  recordPower(work, step, before)
  work.completed.push(step)
}

/** The instance is on after these. */
export const BOOTS: ReadonlySet<Step["do"]> = new Set(["start", "restart", "reinstall", "boot"])

/** Records the power of an instance whose status does not say it. */
const recordPower = (work: Work, step: Step, before: string): void => {
  const { instance: { status }, state } = work
  if (isDocumentedStatus(status)) return
  if (BOOTS.has(step.do)) work.state = { ...state, isOff: undefined }
  if (step.do !== "stop") return
  // From now on another word than before says that the instance is off.
  work.state = { ...state, isOff: true, offStatus: status === before ? state.offStatus : status }
}

/** A call that sets a value, and so may be repeated. */
const callIdempotent = <A>(work: Work, call: () => Promise<A>): Promise<A> =>
  retryIdempotent(work.session, work.name, work.deadline, call)

/** The number of a task: null says that there was nothing to do, undefined that the host names none. */
type TaskId = number | null | undefined

/** A call that starts a task and must not start two. */
const startTask = async (
  work: Work,
  requestId: string,
  call: () => Promise<View<ActionResult>>
): Promise<TaskId> => {
  const send = async (): Promise<View<ActionResult>> => await call()
  const find = async (): Promise<View<ActionResult> | undefined> => {
    const task = await findStartedTask(work, requestId)
    return task === undefined ? undefined : { task_id: task.id }
  }
  return (await sendOnce(work, send, find)).task_id
}

/** Polls the instance of an update. */
const observing = (work: Work): Observe => async (until) => {
  await observeUntil(work, until)
  return work.instance
}

interface End {
  readonly taskId: TaskId
  readonly action: string
  readonly before: string
  readonly until?: (instance: Instance) => boolean
}

/** Waits for the end of a change, and updates the observed instance. */
const awaitEnd = (work: Work, end: End): Promise<Sign> => {
  const { deadline, instance: { id }, name, session } = work
  return awaitChange(session, { ...end, deadline, instanceId: id, name }, observing(work))
}

const ON = new Set(["running", "rescue"])
const isOn = ({ status }: Instance): boolean => ON.has(status)

/** Requests another status and waits for it; a failed task leaves the old one, and the feed has the reason. */
const switchPower = async (
  work: Work,
  action: string,
  call: () => Promise<View<ActionResult>>,
  until: (instance: Instance) => boolean
): Promise<void> => {
  const { status: before } = work.instance
  const { task_id: taskId } = await callIdempotent(work, call)
  const sign = await awaitEnd(work, { taskId, action, before, until })
  if (sign === "nothing" || isDocumentedStatus(work.instance.status)) {
    await ensureObserved(work, (instance) => until(instance) || !isDocumentedStatus(instance.status))
  }
}

const start = (work: Work): Promise<void> =>
  switchPower(work, "powering on", () => work.session.api.start(work.instance.id), isOn)

const restart = (work: Work): Promise<void> =>
  switchPower(work, "rebooting", () => work.session.api.restart(work.instance.id), isOn)

/** Only a temporary stop has a request id of its own: see `CrashRecovery.ts`. */
const stop = (work: Work, requestId?: string): Promise<void> =>
  switchPower(
    work,
    "powering off",
    () => work.session.api.stop(work.instance.id, requestId),
    ({ status }) => status === "stopped"
  )

const resize = async (work: Work, serviceId: number): Promise<void> => {
  const { name, session } = work
  const { id } = work.instance
  const limit = await guardResize(session, work, serviceId)
  let charge: string | undefined
  const { status: before } = work.instance
  const requestId = requestIdFor(work, "resize", serviceId)
  const taskId = await startTask(work, requestId, async () => {
    const result = await session.api.resize(id, serviceId, requestId, limit)
    charge = result.charge_amount === undefined ? undefined : formatAmount(result.charge_amount, result.currency)
    return result
  }).catch(async (error: unknown) => {
    const raised = raisedChargeOf(error)
    if (raised !== undefined) {
      refuseRaised(session, work, serviceId)
      throw new UserError(priceRaised(session.words, raised), error)
    }
    if (statusOf(error) === 402) {
      throw new UserError(`${sentence(explain(error))} Nothing was charged`, error)
    }
    // A conflict because the instance is already on that plan is a success.
    const current = statusOf(error) === 409 && (await session.api.get(id)).order.service_id === serviceId
    if (!current) throw error
    return null
  })
  const isResized = ({ order }: Instance): boolean => order.service_id === serviceId
  const until = (instance: Instance): boolean => isResized(instance) && !isDocumentedStatus(instance.status)
  const action = `the resize to plan ${serviceId}`
  const sign = await awaitEnd(work, { taskId, action, before, until }).catch((error: unknown) => {
    if (error instanceof DeadlineError) {
      const paid = charge === undefined ? "" : `, and ${charge} were charged`
      throw new DeadlineError(`${sentence(error.message)} The resize continues in the background${paid}`, error)
    }
    if (!(error instanceof UserError) || work.instance.order.service_id === serviceId) throw error
    throw new UserError(`${sentence(error.message)} The charge was refunded`, error)
  })
  if (sign === "unchanged" && !isResized(work.instance)) {
    throw new UserError(
      `the host accepted the resize to plan ${serviceId}, but its record of the instance still shows plan `
        + `${work.instance.order.service_id}, and nothing else shows the end of a resize`
    )
  }
  await ensureObserved(work, isResized)
  session.host.info(
    `${name}: instance ${id} is now on plan ${serviceId}${charge === undefined ? "" : `; charged ${charge}`}`
  )
}

/** The status usually settles when the task ends; a slower service is waited for. */
const ensureObserved = async (work: Work, until: (instance: Instance) => boolean): Promise<void> => {
  if (!until(work.instance)) await observeUntil(work, until)
}

const reinstall = async (work: Work, os: string): Promise<void> => {
  const { inputs, session } = work
  const { id } = work.instance
  const { rootPassword: password, sshPublicKey: ssh_pubkey } = inputs
  const body = { os, ...(password && { password }), ...(ssh_pubkey && { ssh_pubkey }) }
  const requestId = requestIdFor(work, "reinstall", [os, inputs.reinstallTriggers])
  const { status: before } = work.instance
  const taskId = await startTask(work, requestId, () => session.api.reinstall(id, body, requestId))
  await awaitEnd(work, { taskId, action: `the reinstall with ${os}`, before })
  projectReinstall(work, os)
  // The new system has booted from its disk, in any previous boot mode.
  if (inputs.bootMode !== undefined) work.state = { ...work.state, bootMode: "disk" }
  projectInstalled(work)
}

/** Records a reinstall: nothing that was installed before is left. */
export const projectReinstall = (work: Work, os: string): void => {
  const { reinstallTriggers, rootPassword, sshPublicKey } = work.inputs
  work.state = { ...work.state, os, reinstallTriggers, rootPassword, sshPublicKey, pendingSshKey: undefined }
  advanceRevision(work)
}

/** Records an irreversible step: a later one of its kind has another request id. */
export const advanceRevision = (work: Work): void => {
  work.state = { ...work.state, revision: new Date(work.session.host.now()).toISOString() }
}

const setIso = async (work: Work, isoId: number | undefined): Promise<void> => {
  const { deadline, name, session } = work
  const { id } = work.instance
  const { task_id: taskId } = await callIdempotent(
    work,
    () => isoId === undefined ? session.api.isoUnmount(id) : session.api.isoMount(id, isoId)
  )
  const action = isoId === undefined ? "unmounting the ISO" : `mounting ISO ${isoId}`
  const { status: before } = work.instance
  await awaitWork(session, { deadline, instanceId: id, name, taskId, action, before })
  work.state = { ...work.state, isoId, iso: isoId === undefined ? undefined : work.inputs.iso }
}

/** Sets the boot mode; the service reboots the instance, unless it is too busy: then this does. */
const setBootMode = async (work: Work, mode: BootMode): Promise<void> => {
  const { name, session } = work
  const { id } = work.instance
  const requestId = requestIdFor(work, "boot", mode)
  const { status: before } = work.instance
  const { restarted } = await callIdempotent(
    work,
    () => mode === "rescue" ? session.api.rescueEnter(id, requestId) : session.api.rescueExit(id, requestId)
  )
  work.state = { ...work.state, bootMode: mode }
  if (!restarted) {
    session.host.progress(`${name}: the boot mode is set, but the service was too busy to reboot; rebooting`)
    await restart(work)
  }
  const isOver = isQuiet(session, before)
  await observeUntil(work, (instance) =>
    instance.status === (mode === "rescue" ? "rescue" : "running")
    || isOver(instance))
  if (!isDocumentedStatus(work.instance.status)) reportInferred(session, name, "changing the boot mode")
}

const setHostname = async (work: Work, name: string): Promise<void> => {
  const { id } = work.instance
  await callIdempotent(work, () => work.session.api.hostname(id, name))
  work.state = { ...work.state, hostname: name }
  // The response proves the new name; the observed instance still has the old one.
  work.instance = withInstalled(work.instance, { hostname: name })
}

const HANDLERS: Handlers = {
  snapshot: (work, { prefix }) => takeSnapshot(work, prefix),
  stop: (work, { meanwhile }) => stop(work, meanwhile === true ? requestIdFor(work, "stop") : undefined),
  start,
  restart,
  resize: (work, { serviceId }) => resize(work, serviceId),
  reinstall: (work, { os }) => reinstall(work, os),
  mount: (work, { isoId }) => setIso(work, isoId),
  unmount: (work) => setIso(work, undefined),
  boot: (work, { mode }) => setBootMode(work, mode),
  hostname: (work, step) => setHostname(work, step.hostname),
  password: async (work) => {
    await observeUntilSettled(work)
    await rotatePassword(work)
    advanceRevision(work)
  }
}
