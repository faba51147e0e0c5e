/** The order of an Instance, as far as its inputs are known: all of them in an update, some in a preview. */
import type { CreateInstance } from "#sdk/client/Records"
import { isUnknown, nameOf, present, type Properties } from "../definition/Properties.ts"
import type { PlannedPurchase } from "../purchase/Quotes.ts"
import { asInputs, generationOf, type InstanceInputs } from "./Definition.ts"

const knownInputs = (inputs: InstanceInputs): InstanceInputs =>
  asInputs(Object.fromEntries(Object.entries(present({ ...inputs })).filter(([, value]) => !isUnknown(value))))

export const orderBody = (inputs: InstanceInputs): CreateInstance => {
  const { couponCode, hostname, os, rootPassword, serviceId, sshPublicKey } = knownInputs(inputs)
  const order: Properties = {
    service_id: serviceId,
    hostname,
    os,
    ssh_pubkey: sshPublicKey,
    root_password: rootPassword,
    coupon_code: couponCode
  }
  return present(order) as unknown as CreateInstance
}

/** The purchase that the wallet approves. */
export const plannedPurchase = (inputs: InstanceInputs): PlannedPurchase => ({
  key: inputs.__purchaseKey,
  name: nameOf(inputs.__urn),
  generation: generationOf({ ...inputs }),
  body: orderBody(inputs),
  maxCharge: knownInputs(inputs).maxCharge,
  unknown: (["couponCode", "maxCharge"] as const).filter((name) => isUnknown(inputs[name]))
})
