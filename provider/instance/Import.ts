/** Imports an existing instance into a state by its id: `pulumi import`, and `Instance.get`. */
import { UserError } from "../api/Errors.ts"
import { nameOf, present } from "../definition/Properties.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { purchaseKey, purchaseKeyDigest } from "../purchase/PurchaseHistory.ts"
import type { ReadResult } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, FIRST_GENERATION } from "./Definition.ts"
import { sessionFacts } from "./Delete.ts"
import { toInputs, toOutputs } from "./state/Outputs.ts"

const DIGITS = /^[1-9]\d*$/

/**
 * Returns the inputs of a program that manages it. Like an instance adopted with `adoptInstanceId` it counts as not
 * bought here, unless this very resource bought it before its state was lost.
 * @throws UserError when the account has no such instance.
 */
export const importInstance = async (
  session: Session,
  id: string,
  urn: string
): Promise<ReadResult & { id: string } | undefined> => {
  if (!DIGITS.test(id)) throw new UserError(`${nameOf(urn)}: an instance is imported by its number, such as 123`)
  const instance = await session.api.get(Number(id))
    .catch((error: unknown) => session.failNotFound(error, nameOf(urn), id, ""))
  if (instance.status === "deleted") return undefined
  session.retain(id, urn)
  const { hostname, os } = installedDetails(instance)
  const key = purchaseKey({ scope: session.settings.idempotencyScope, urn, generation: FIRST_GENERATION })
  const inputs = present({ serviceId: instance.order.service_id, hostname, os, __urn: urn, __purchaseKey: key })
  const own = orderedDetails(instance).keyDigest === purchaseKeyDigest(key) ? key : ""
  const outputs = toOutputs(asInputs(inputs), instance, {
    hostname,
    os,
    purchaseKey: own,
    revision: instance.created_at,
    ...sessionFacts(session, inputs, own)
  })
  return { id, outputs, inputs: toInputs(outputs) }
}
