/**
 * Refuses to delete what belongs to an instance in a run in which the instance itself refuses: the engine deletes
 * attached resources first, and only the option `deletedWith` prevents that, which programs in most languages lack.
 */
import { explain, sentence, UserError } from "../api/Errors.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Instance } from "#sdk/client/Records"
import { CHOICES, deletionPolicyFor } from "../instance/DeletionPolicy.ts"
import type { HeldInstance } from "../orphans/Orphans.ts"
import type { Session } from "../session/Session.ts"
import { heldInstances } from "../session/Stack.ts"

/**
 * `outputs` are those of the attached resource, `what` names it. A run that keeps the instance has compared it in
 * `diff`; a resource that is replaced went through `check`.
 * @throws UserError when the stack holds the instance and its policy is `fail`, or when that is not known.
 */
export const assertInstanceLetsGo = async (
  session: Session,
  outputs: Properties,
  instance: Instance,
  what: string
): Promise<void> => {
  const urn = String(outputs["__urn"])
  const { id } = instance
  const isReplaced = session.plannedUrns.has(urn) || session.acceptedPolicies.has(id)
  if (isReplaced || session.retainedBy(String(id)) !== undefined || isEnded(instance.status)) return
  if (![undefined, "fail"].includes(session.settings.deletionPolicyNow)) return
  const held = await heldInstances(session, urn, instance.user_id).catch((error: unknown) => {
    throw new UserError(
      `${nameOf(urn)}: ${what} was not deleted: whether instance ${id} is destroyed with it is not known: `
        + `${
          sentence(explain(error))
        } Put the \`pulumi\` command on PATH, or set VPS_DELETION_POLICY to stop or forget.`
    )
  })
  const holder = held.find((one) => one.id === id)
  if (holder !== undefined && isRefused(session, holder)) {
    throw new UserError(
      `${nameOf(urn)}: ${what} was not deleted, because the deletion policy of ${
        nameOf(holder.urn)
      } is "fail": instance `
        + `${id} is not destroyed, and keeps what belongs to it.\n${CHOICES}\nTo delete ${nameOf(urn)} alone with `
        + "--target, set VPS_DELETION_POLICY=forget: the instance is not affected."
    )
  }
}

const isRefused = (session: Session, { facts }: HeldInstance): boolean =>
  deletionPolicyFor(session, facts, facts) === "fail"
