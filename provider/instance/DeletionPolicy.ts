/** Which deletion policy holds, and whether an old server may be let go for a new generation. */
import { type DeletionPolicy, ENVIRONMENT } from "../Config.ts"
import { UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import { isEnded } from "../api/InstanceStatus.ts"
import type { Session } from "../session/Session.ts"
import { continuingCharges } from "./state/Messages.ts"
import { isAdopted, ownerOf } from "./state/Outputs.ts"

/** What happens when nobody decided: destroying must not look like the end of the charges. */
const DEFAULT_POLICY: DeletionPolicy = "fail"

/**
 * The environment (read now) wins over the resource, the resource over the configuration. A server that was taken over
 * by its id was not bought here, so letting it go is the default for it.
 */
export const deletionPolicyFor = (session: Session, given: Properties, outputs: Properties): DeletionPolicy => {
  const { deletionPolicy, deletionPolicyNow } = session.settings
  const own = given["deletionPolicy"] as DeletionPolicy | undefined
  return deletionPolicyNow ?? own ?? (isAdopted(outputs) ? "forget" : deletionPolicy ?? DEFAULT_POLICY)
}

export const CHOICES = [
  "Choose one and run it again:",
  `  ${ENVIRONMENT.deletionPolicy}=stop     powers the server off and takes it out of the state`,
  `  ${ENVIRONMENT.deletionPolicy}=forget   leaves it running and takes it out of the state`,
  "Or set deletionPolicy on the resource (or vps:deletionPolicy) and run `pulumi up` first."
].join("\n")

/**
 * Before a new generation is bought: the old server must be allowed to go, or the purchase would be made and the
 * update would then fail. The delete of the same run uses the policy that was accepted here.
 * @throws UserError when the policy in force is `fail` and the old server lives.
 */
export const acceptReplacement = async (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties
): Promise<void> => {
  const policy = deletionPolicyFor(session, news, olds)
  const instance = policy === "fail" ? await session.observe(id, ownerOf(olds)) : undefined
  if (policy === "fail" && instance !== undefined && !isEnded(instance.status)) {
    throw new UserError(
      `${nameOf(olds["__urn"])}: a changed generation buys a new server and lets server ${id} go, and the deletion `
        + `policy "fail" forbids that. Nothing was bought.\n${continuingCharges(olds)}\n${CHOICES}`
    )
  }
  session.acceptedPolicies.set(id, policy)
}
