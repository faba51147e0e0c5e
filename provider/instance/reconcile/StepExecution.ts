/** Executes the steps of a plan. A request that must not be executed twice is looked for before it is sent. */
import type { ActionResult, Instance, Snapshot } from "@pulumi-vps/sdk/client/Records"
import {
  DeadlineError,
  explain,
  isRefusal,
  isSettled,
  raisedChargeOf,
  sentence,
  statusOf,
  UserError
} from "../../api/Errors.ts"
import { withInstalled } from "../../purchase/InstanceDetails.ts"
import { formatAmount } from "../../purchase/Money.ts"
import { awaitTask } from "../../waiting/ActivityFeed.ts"
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
    // A failed task has not set a password.
    if (!await isRotated(work)) {
      throw new UserError(`${sentence(explain(error))} According to the activity feed, no password was set`, error)
    }
    recordLostPassword(work)
  }
}

// Takes a snapshot before a risky change; an existing one is found by its name.

const takeSnapshot = async (work: Work, prefix: string): Promise<void> => {
  const { deadline, revision, name: resource, session } = work
  const { id } = work.instance
  const name = snapshotName(prefix, id, revision)
  const find = async (): Promise<Snapshot | undefined> =>
    (await session.api.snapshots(id)).find((one) => one.name === name && one.status !== "failed")
  if (await find() === undefined) await request(work, name, find)
  await poll(session, {
    name: resource,
    subject: `snapshot ${name} of instance ${id}`,
    deadline,
    observe: async () => {
      const snapshot = await find()
      if (snapshot === undefined) throw new UserError(`snapshot ${name} of instance ${id} could not be taken`)
      return snapshot.status === "available" ? snapshot : undefined
    }
  })
  session.host.info(`${resource}: snapshot ${name} of instance ${id} was taken`)
}

const request = async (work: Work, name: string, find: () => Promise<Snapshot | undefined>): Promise<void> => {
  const { session } = work
  const { id } = work.instance
  try {
    await sendOnce(work, async () => (await session.api.snapshotCreate(id, name)).snapshot, find)
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
  await work.session.host.checkpoint()
  await (HANDLERS[step.do] as (work: Work, step: Step) => Promise<void>)(work, step)
  work.completed.push(step)
}

/** A call that sets a value, and so may be repeated. */
const callIdempotent = <A>(work: Work, call: () => Promise<A>): Promise<A> =>
  retryIdempotent(work.session, work.name, work.deadline, call)

/** A call that starts a task and must not start two. Returns the task's id, if the service returns one. */
const startTask = (
  work: Work,
  requestId: string,
  call: () => Promise<{ readonly task_id: number | null }>
): Promise<number | null> =>
  sendOnce(work, async () => (await call()).task_id, async () => (await findStartedTask(work, requestId))?.id)

/** Waits for a task by the status of the instance, then reads its outcome in the feed. */
const awaitEnd = async (work: Work, taskId: number | null, action: string): Promise<void> => {
  await observeUntil(work, ({ status }) => isSettled(status))
  if (taskId === null) return
  const { deadline, instance, name, session } = work
  await awaitTask(session, { deadline, instanceId: instance.id, name, taskId, action })
}

const ON = new Set(["running", "rescue"])
const isOn = ({ status }: Instance): boolean => ON.has(status)

/** Requests another status and waits for it; a failed task leaves the old one, and the feed has the reason. */
const switchPower = async (
  work: Work,
  action: string,
  call: () => Promise<ActionResult>,
  until: (instance: Instance) => boolean
): Promise<void> => {
  const { deadline, instance: { id }, name, session } = work
  const { task_id: taskId } = await callIdempotent(work, call)
  await observeUntil(work, (instance) => until(instance) || isSettled(instance.status))
  if (!until(work.instance) && taskId !== null) {
    await awaitTask(session, { deadline, instanceId: id, name, taskId, action })
  }
  await ensureObserved(work, until)
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
  const requestId = requestIdFor(work, "resize", serviceId)
  const taskId = await startTask(work, requestId, async () => {
    const result = await session.api.resize(id, serviceId, requestId, limit)
    charge = formatAmount(result.charge_amount, result.currency)
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
  await awaitEnd(work, taskId, `the resize to plan ${serviceId}`).catch((error: unknown) => {
    if (error instanceof DeadlineError) {
      const paid = charge === undefined ? "" : `, and ${charge} were charged`
      throw new DeadlineError(`${sentence(error.message)} The resize continues in the background${paid}`, error)
    }
    if (!(error instanceof UserError) || work.instance.order.service_id === serviceId) throw error
    throw new UserError(`${sentence(error.message)} The charge was refunded`, error)
  })
  await ensureObserved(work, (instance) => instance.order.service_id === serviceId)
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
  const taskId = await startTask(work, requestId, () => session.api.reinstall(id, body, requestId))
  await awaitEnd(work, taskId, `the reinstall with ${os}`)
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
  if (taskId !== null) await awaitTask(session, { deadline, instanceId: id, name, taskId, action })
  work.state = { ...work.state, isoId, iso: isoId === undefined ? undefined : work.inputs.iso }
}

/** Sets the boot mode; the service reboots the instance, unless it is too busy: then this does. */
const setBootMode = async (work: Work, mode: BootMode): Promise<void> => {
  const { name, session } = work
  const { id } = work.instance
  const requestId = requestIdFor(work, "boot", mode)
  const { restarted } = await callIdempotent(
    work,
    () => mode === "rescue" ? session.api.rescueEnter(id, requestId) : session.api.rescueExit(id, requestId)
  )
  work.state = { ...work.state, bootMode: mode }
  if (!restarted) {
    session.host.progress(`${name}: the boot mode is set, but the service was too busy to reboot; rebooting`)
    await restart(work)
  }
  await observeUntil(work, ({ status }) => status === (mode === "rescue" ? "rescue" : "running"))
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
