/** Deletes an instance as its policy says. The API has no delete, so this reports the charges that continue. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isDocumentedStatus } from "@pulumi-vps/sdk/client/host/Statuses"
import { isEnded, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, type Properties } from "../definition/Properties.ts"
import { identityOf } from "../session/Identity.ts"
import type { Session } from "../session/Session.ts"
import { awaitChange } from "../waiting/Completion.ts"
import { deadlineIn, retryIdempotent, timeLeft, timeoutOf } from "../waiting/Retry.ts"
import { renameAdvice } from "./Rename.ts"
import { continuingCharges } from "./state/Messages.ts"
import type { DeletionPolicy } from "../Config.ts"
import type { Words } from "../HostWords.ts"
import { isAdopted, type LastKnownState } from "./state/Outputs.ts"

// The deletion policy in force, and its check before an instance is replaced by a new generation.

/** Destroying must not look like the end of the charges, unless the user has chosen. */
const DEFAULT_POLICY: DeletionPolicy = "fail"

/**
 * The environment (read now) overrides the resource, the resource the configuration. An adopted instance was not bought
 * here, so forgetting it is the default.
 */
export const deletionPolicyFor = (session: Session, inputs: Properties, outputs: Properties): DeletionPolicy => {
  const { deletionPolicy, deletionPolicyNow } = session.settings
  const own = inputs["deletionPolicy"] as DeletionPolicy | undefined
  return deletionPolicyNow ?? own ?? (isAdopted(outputs) ? "forget" : deletionPolicy ?? DEFAULT_POLICY)
}

const AFTER_DESTROY = { fail: "refused", stop: "stopped", forget: "running" } as const

/** The effect of destroying an instance that was bought with this key; undefined while the policy is unknown. */
export const afterDestroy = (session: Session, inputs: Properties, purchaseKey: unknown): string | undefined =>
  isUnknown(inputs["deletionPolicy"])
    ? undefined
    : AFTER_DESTROY[deletionPolicyFor(session, inputs, { purchaseKey })]

/** The facts that the settings of this run add to the state. */
export const sessionFacts = (session: Session, inputs: Properties, purchaseKey: unknown): LastKnownState => ({
  place: session.place,
  afterDestroy: afterDestroy(session, inputs, purchaseKey)
})

export const choices = ({ environment, input, setting, update }: Words): string =>
  [
    "Choose one and run the command again:",
    `  ${environment.deletionPolicy}=stop     powers the instance off and removes it from the state`,
    `  ${environment.deletionPolicy}=forget   leaves the instance running and removes it from the state`,
    `Or set ${input("deletionPolicy")} on the resource (or ${setting("deletionPolicy")}) and run ${update} first.`
  ].join("\n")

/**
 * Checks before a new generation is bought that the old instance may be deleted: otherwise the update would fail after
 * the purchase. The delete of the same run uses the policy that was accepted here.
 * @throws UserError when the policy in force is `fail` and the old instance has not ended.
 */
export const acceptReplacement = async (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties
): Promise<void> => {
  const policy = deletionPolicyFor(session, news, olds)
  const instance = policy === "fail" ? await session.observe(id, identityOf(olds)) : undefined
  if (policy === "fail" && instance !== undefined && !isEnded(instance.status)) {
    const charges = continuingCharges(id, olds, await session.panel())
    throw new UserError(
      `${nameOf(olds["__urn"])}: a changed generation buys a new instance and deletes instance ${id}, which the `
        + `deletion policy "fail" forbids. Nothing was bought.\n${charges}\n${choices(session.words)}`
    )
  }
  session.acceptedPolicies.set(id, policy)
}

/** The end of an instance in the state, which its policy allows. */
interface PlannedDelete {
  readonly instance: Instance
  readonly policy: "stop" | "forget"
  /** A sentence about the charges that continue. */
  readonly charges: string
}

/**
 * Undefined when there is nothing to do.
 * @throws UserError when the policy in force is `fail`; `refusal` completes "instance 1 ...".
 */
const plannedDelete = async (
  session: Session,
  id: number,
  outputs: Properties,
  refusal: string
): Promise<PlannedDelete | undefined> => {
  const { host, words } = session
  const name = nameOf(outputs["__urn"])
  if (session.retainedBy(String(id)) !== undefined) {
    host.info(
      `${name}: the ${words.stack} still manages instance ${id}, so only the old state entry is removed; the instance `
        + "is unchanged"
    )
    return undefined
  }
  const instance = await session.observe(id, identityOf(outputs))
  if (instance === undefined) return undefined
  if (isEnded(instance.status)) {
    const note = instance.status === "expired" ? "; topping up the wallet within a few days still renews it" : ""
    host.info(`${name}: instance ${id} is already ${instance.status}${note}`)
    return undefined
  }
  const current = { ...outputs, expiresAt: instance.expires_at, autoRenew: instance.auto_renew ?? true }
  const charges = continuingCharges(id, current, await session.panel())
  const policy = session.acceptedPolicies.get(id) ?? deletionPolicyFor(session, outputs, outputs)
  if (policy !== "fail") return { instance, policy, charges }
  const advice = await renameAdvice(session, String(outputs["__urn"]), id, instance.user_id)
  throw new UserError(`${name}: instance ${id} ${refusal}\n${charges}\n${choices(words)}${advice}`)
}

/**
 * Says what a delete will do, before anything is touched. A delete of the same run uses the policy that is accepted
 * here.
 * @throws UserError when the policy in force is `fail`.
 */
export const planDelete = async (session: Session, id: number, outputs: Properties): Promise<void> => {
  const planned = await plannedDelete(session, id, outputs, "cannot be destroyed: its deletion policy is \"fail\".")
  if (planned === undefined) return
  const { charges, policy } = planned
  session.acceptedPolicies.set(id, policy)
  const left = policy === "stop" ? "is powered off" : "keeps running"
  session.host.warn(
    `${nameOf(outputs["__urn"])}: instance ${id} ${left} and leaves the state, because its deletion policy is `
      + `"${policy}". ${await describeSnapshots(session, id)}${charges}`
  )
}

export const deleteInstance = async (session: Session, id: number, outputs: Properties): Promise<void> => {
  const name = nameOf(outputs["__urn"])
  const refusal = "was not destroyed or changed: its deletion policy is \"fail\". If snapshots or PTR records of it "
    + `have left the state, the next ${session.words.update} takes them back.`
  const planned = await plannedDelete(session, id, outputs, refusal)
  if (planned === undefined) return
  const { charges, instance, policy } = planned
  if (policy === "stop") await powerOff(session, name, instance, outputs)
  const left = policy === "stop" || isOff(instance) ? "is powered off" : "keeps running"
  session.host.warn(
    `${name}: instance ${id} ${left} and is no longer in the state. ${await describeSnapshots(session, id)}${charges}`
  )
}

/** The snapshots that stay with the instance, by id: the program may keep a name secret, unknown to this call. */
const describeSnapshots = async (session: Session, id: number): Promise<string> => {
  // An instance that refuses the list has nothing to name, and its end is not reported twice.
  const snapshots = await session.api.snapshots(id).catch(() => []) ?? []
  if (snapshots.length === 0) return ""
  const ids = snapshots.flatMap((one) => one.id ?? [])
  const named = ids.length === 0 ? "" : `id ${ids.join(", ")}; `
  return `It keeps its snapshots (${named}\`vps snapshot list ${id}\` shows them). `
}

const isOff = ({ status }: Instance): boolean => status === "stopped" || status === "suspended" || isEnded(status)

const powerOff = async (session: Session, name: string, instance: Instance, outputs: Properties): Promise<void> => {
  const { id } = instance
  const deadline = deadlineIn(session, timeoutOf(outputs, "delete"))
  await session.mutex.run(String(id), async () => {
    // A suspended instance is off, and refuses a stop.
    if (instance.status === "suspended") return
    const { task_id: taskId } = await retryIdempotent(session, name, deadline, () => session.api.stop(id))
    const { status: before } = instance
    // A failed task leaves it on, and the activity feed has the reason.
    const change = { deadline, instanceId: id, name, taskId, action: "powering off", before, until: isOff }
    const sign = await awaitChange(session, change)
    if (sign === "status" || (sign === "unchanged" && !isDocumentedStatus(before))) return
    await session.watcher.wait({ id, name, until: isOff, timeout: timeLeft(session, deadline) })
  })
}
