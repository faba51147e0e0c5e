/** The deletion policy in force, and its check before an instance is replaced by a new generation. */
import { UserError } from "../api/Errors.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import { type DeletionPolicy, ENVIRONMENT } from "../Config.ts"
import { isUnknown, nameOf, type Properties } from "../definition/Properties.ts"
import { identityOf } from "../session/Identity.ts"
import type { Session } from "../session/Session.ts"
import type { LastKnownState } from "./state/LastKnownState.ts"
import { continuingCharges } from "./state/Messages.ts"
import { isAdopted } from "./state/Outputs.ts"

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

export const CHOICES = [
  "Choose one and run the command again:",
  `  ${ENVIRONMENT.deletionPolicy}=stop     powers the instance off and removes it from the state`,
  `  ${ENVIRONMENT.deletionPolicy}=forget   leaves the instance running and removes it from the state`,
  "Or set deletionPolicy on the resource (or vps:deletionPolicy) and run `pulumi up` first."
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
        + `deletion policy "fail" forbids. Nothing was bought.\n${charges}\n${CHOICES}`
    )
  }
  session.acceptedPolicies.set(id, policy)
}
