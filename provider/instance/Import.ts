/** Taking an existing instance into a state by its id: `pulumi import`, and `Instance.get`. */
import { statusOf, UserError } from "../api/Errors.ts"
import { nameOf, present, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, FIRST_GENERATION } from "./Definition.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { toInputs, toOutputs } from "./state/Outputs.ts"
import { purchaseKey, purchaseKeyDigest } from "../purchase/PurchaseKey.ts"

const DIGITS = /^[1-9]\d*$/

/**
 * Answers what a program that manages it would have to say. Like one that was taken over by `adoptInstanceId` it was
 * not bought here, unless it is what this very resource bought before its state was lost.
 * @throws UserError when the account has no such instance.
 */
export const importInstance = async (
  session: Session,
  id: string,
  urn: string
): Promise<{ id: string; outputs: Properties; inputs: Properties } | undefined> => {
  if (!DIGITS.test(id)) throw new UserError(`${nameOf(urn)}: an instance is imported by its number, such as 123`)
  const instance = await session.api.get(Number(id)).catch(async (error: unknown) => {
    if (statusOf(error) !== 404) throw error
    const { account_id, email } = await session.account()
    throw new UserError(`${nameOf(urn)}: there is no server ${id} in account ${account_id} (${email})`)
  })
  if (instance.status === "deleted") return undefined
  const { hostname, os } = installedDetails(instance)
  const key = purchaseKey({ scope: session.settings.idempotencyScope, urn, generation: FIRST_GENERATION })
  const inputs = present({ serviceId: instance.order.service_id, hostname, os, __urn: urn, __purchaseKey: key })
  const outputs = toOutputs(asInputs(inputs), instance, {
    hostname,
    os,
    purchaseKey: orderedDetails(instance).keyDigest === purchaseKeyDigest(key) ? key : "",
    revision: instance.created_at
  })
  return { id, outputs, inputs: toInputs(outputs) }
}
