/** Deletes an instance as its policy says. The API has no delete, so this reports the charges that continue. */
import type { Instance } from "#sdk/client/Records"
import { UserError } from "../api/Errors.ts"
import { isEnded, isSettled } from "../api/InstanceStatus.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import { identityOf } from "../session/Identity.ts"
import type { Session } from "../session/Session.ts"
import { awaitTask } from "../waiting/ActivityFeed.ts"
import { deadlineIn, retryIdempotent, timeLeft, timeoutOf } from "../waiting/Retry.ts"
import { CHOICES, deletionPolicyFor } from "./DeletionPolicy.ts"
import { renameAdvice } from "./Rename.ts"
import { continuingCharges } from "./state/Messages.ts"

export const deleteInstance = async (session: Session, id: number, outputs: Properties): Promise<void> => {
  const name = nameOf(outputs["__urn"])
  if (session.retainedBy(String(id)) !== undefined) {
    session.host.info(
      `${name}: the stack still manages instance ${id}, so only the old state entry is removed; the instance is `
        + "unchanged"
    )
    return
  }
  const instance = await session.observe(id, identityOf(outputs))
  if (instance === undefined) return
  if (isEnded(instance.status)) {
    const note = instance.status === "expired" ? "; topping up the wallet within a few days still renews it" : ""
    session.host.info(`${name}: instance ${id} is already ${instance.status}${note}`)
    return
  }
  const current = { ...outputs, expiresAt: instance.expires_at, autoRenew: instance.auto_renew ?? true }
  const charges = continuingCharges(id, current, await session.panel())
  const policy = session.acceptedPolicies.get(id) ?? deletionPolicyFor(session, outputs, outputs)
  if (policy === "fail") {
    throw new UserError(
      `${name}: instance ${id} was not destroyed or changed: its deletion policy is "fail". If snapshots or PTR `
        + `records of it have left the state, the next \`pulumi up\` takes them back.\n${charges}\n${CHOICES}`
        + await renameAdvice(session, String(outputs["__urn"]), id, instance.user_id)
    )
  }
  if (policy === "stop") await powerOff(session, name, instance, outputs)
  const left = policy === "stop" || isOff(instance) ? "is powered off" : "keeps running"
  session.host.warn(
    `${name}: instance ${id} ${left} and is no longer in the state. ${await describeSnapshots(session, id)}${charges}`
  )
}

/** The snapshots that stay with the instance, by id: the program may keep a name secret, unknown to this call. */
const describeSnapshots = async (session: Session, id: number): Promise<string> => {
  // An instance that refuses the list has nothing to name, and its end is not reported twice.
  const snapshots = await session.api.snapshots(id).catch(() => [])
  if (snapshots.length === 0) return ""
  const ids = snapshots.map((one) => one.id).join(", ")
  return `It keeps its snapshots (id ${ids}; \`vps snapshot list ${id}\` shows them). `
}

const isOff = ({ status }: Instance): boolean => status === "stopped" || status === "suspended" || isEnded(status)

const powerOff = async (session: Session, name: string, instance: Instance, outputs: Properties): Promise<void> => {
  const { id } = instance
  const deadline = deadlineIn(session, timeoutOf(outputs, "delete"))
  await session.mutex.run(String(id), async () => {
    // A suspended instance is off, and refuses a stop.
    if (instance.status === "suspended") return
    const { task_id: taskId } = await retryIdempotent(session, name, deadline, () => session.api.stop(id))
    const wait = (until: (instance: Instance) => boolean): Promise<Instance> =>
      session.watcher.wait({ id, name, until, timeout: timeLeft(session, deadline) })
    if (isOff(await wait((seen) => isOff(seen) || isSettled(seen.status)))) return
    // A failed task leaves it on, and the activity feed has the reason.
    if (taskId !== null) await awaitTask(session, { deadline, instanceId: id, name, taskId, action: "powering off" })
    await wait(isOff)
  })
}
