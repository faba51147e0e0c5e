/** Deleting, honestly: the service has no delete, so this says what goes on being charged and does what was chosen. */
import type { Instance } from "#contract/Instance"
import { awaitTask } from "../waiting/ActivityFeed.ts"
import { deadlineIn, retryIdempotent, timeLeft } from "../waiting/Retry.ts"
import { UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { continuingCharges } from "./state/Messages.ts"
import { ownerOf } from "./state/Outputs.ts"
import { CHOICES, deletionPolicyFor } from "./DeletionPolicy.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import { timeoutOf } from "./reconcile/Reconcile.ts"
import { isSettled } from "../api/InstanceStatus.ts"

export const deleteInstance = async (session: Session, id: number, outputs: Properties): Promise<void> => {
  const name = nameOf(outputs["__urn"])
  if (session.retainedBy(String(id)) !== undefined) {
    session.host.info(
      `${name}: the stack goes on with server ${id}, so only the old entry is removed; the server was not touched`
    )
    return
  }
  const instance = await session.observe(id, ownerOf(outputs))
  if (instance === undefined) return
  if (isEnded(instance.status)) {
    const note = instance.status === "expired" ? "; a top-up of the wallet would still renew it for a few days" : ""
    session.host.info(`${name}: server ${id} is ${instance.status} already${note}`)
    return
  }
  const current = { ...outputs, expiresAt: instance.expires_at, autoRenew: instance.auto_renew ?? true }
  const policy = session.acceptedPolicies.get(id) ?? deletionPolicyFor(session, outputs, outputs)
  if (policy === "fail") {
    throw new UserError(
      `${name}: server ${id} was not destroyed, and nothing was changed: its deletion policy is "fail".`
        + `\n${continuingCharges(current)}\n${CHOICES}`
    )
  }
  if (policy === "stop") await powerOff(session, name, instance, outputs)
  const left = policy === "stop" ? "is powered off" : "goes on running"
  session.host.warn(`${name}: server ${id} ${left} and is no longer in the state. ${continuingCharges(current)}`)
}

const isOff = ({ status }: Instance): boolean => status === "stopped" || status === "suspended" || isEnded(status)

const powerOff = async (session: Session, name: string, instance: Instance, outputs: Properties): Promise<void> => {
  const { id } = instance
  const deadline = deadlineIn(session, timeoutOf(outputs, "delete"))
  await session.mutex.run(String(id), async () => {
    // A suspended server is off, and refuses to be told so.
    if (instance.status === "suspended") return
    const { task_id: taskId } = await retryIdempotent(session, name, deadline, () => session.api.stop(id))
    const wait = (until: (seen: Instance) => boolean): Promise<Instance> =>
      session.watcher.wait({ id, name, until, timeout: timeLeft(session, deadline) })
    const seen = await wait((instance) => isOff(instance) || isSettled(instance.status))
    if (isOff(seen)) return
    // A task that failed leaves it on, and the feed says why.
    if (taskId !== null) await awaitTask(session, { deadline, instanceId: id, name, taskId, action: "powering off" })
    await wait(isOff)
  })
}
