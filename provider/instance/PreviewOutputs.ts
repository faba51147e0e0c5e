/** The outputs that a preview knows: policies and `pulumi preview --json` read them. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { UserError } from "../api/Errors.ts"
import { isUnknown, present, type Properties, same, UNKNOWN } from "../definition/Properties.ts"
import { chargedFor } from "../purchase/InstanceDetails.ts"
import { minor } from "../purchase/Money.ts"
import type { PlannedPurchase } from "../purchase/Quotes.ts"
import type { Definition } from "../definition/Definition.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, INSTANCE } from "./Definition.ts"
import { afterDestroy } from "./Delete.ts"
import { plannedPurchase } from "./Diff.ts"
import { withChangedPlan } from "./PlanName.ts"
import { projectApiFields, renewalOf } from "./state/Outputs.ts"

const OUTPUTS: Definition["outputs"] = INSTANCE.outputs

/** `olds`: the outputs in the state, for an update. See `Lifecycle.previewOutputs` for its requests. */
export const previewOutputs = async (session: Session, given: Properties, olds?: Properties): Promise<Properties> => {
  const inputs = await withChangedPlan(session, given)
  return { ...await knownOutputs(session, inputs, olds), ...namedOutputs(given, inputs, olds) }
}

/** The id of a name is known later. An input that a policy has changed is shown as changed. */
const namedOutputs = (given: Properties, inputs: Properties, olds: Properties | undefined): Properties => {
  const { iso, plan, serviceId } = inputs
  const isSamePlan = olds === undefined ? inputs === given : same(olds["serviceId"], serviceId)
  const isSameIso = iso === undefined || (olds !== undefined && same(olds["iso"], iso))
  return present({
    ...(isSamePlan ? {} : { serviceId, plan: plan ?? UNKNOWN }),
    isoId: isSameIso ? undefined : UNKNOWN
  })
}

const knownOutputs = async (session: Session, inputs: Properties, olds?: Properties): Promise<Properties> => {
  const { __purchaseKey, adoptInstanceId: adopted } = asInputs(inputs)
  if (isUnknown(adopted) || (olds === undefined && isUnknown(inputs["generation"]))) return {}
  const purchaseKey = olds === undefined ? adopted === undefined ? __purchaseKey : "" : olds["purchaseKey"]
  const common = present({ purchaseKey, afterDestroy: afterDestroy(session, inputs, purchaseKey) })
  if (olds !== undefined) return common
  // A purchase of an earlier run has no price now.
  const found = adopted === undefined
    ? session.purchases.find(__purchaseKey)
    : session.instanceList.all().then((instances) => instances.get(adopted))
  const instance = await found.catch(() => "unavailable" as const)
  if (instance === "unavailable") return common
  if (instance === undefined) return adopted === undefined ? { ...common, ...await price(session, inputs) } : common
  const { auto_renew: autoRenew = true, expires_at: expiresAt, order } = instance
  const isResized = isUnknown(inputs["serviceId"]) || order.service_id !== inputs["serviceId"]
  const existing = { ...common, ...await stableFields(session, instance, adopted !== undefined), autoRenew, expiresAt }
  return present({ ...existing, ...(isResized ? {} : renewalOf(order)) })
}

/** The outputs of an instance that exists already, as far as they never change. */
const stableFields = async (session: Session, instance: Instance, isAdopted: boolean): Promise<Properties> => {
  const fields = Object.entries(projectApiFields(instance)).filter(([name]) => OUTPUTS[name]?.stable === true)
  const price = await session.wallet.priceOf({ service_id: instance.order.service_id })
  const chargeAmount = isAdopted ? undefined : chargedFor(instance)
  return { ...Object.fromEntries(fields), chargeAmount, currency: price?.currency }
}

const price = async (session: Session, inputs: Properties): Promise<Properties> => {
  if (isUnknown(inputs["serviceId"])) return {}
  const planned = plannedPurchase(asInputs(inputs))
  if (session.wallet.hasChanged(planned)) await approveAgain(session, planned)
  const quote = await session.wallet.priceOf(planned.body)
  if (quote === undefined) return {}
  const { billing_cycle: billingCycle, charge_amount: charge, currency, discount_amount: discount } = quote
  const chargeAmount = isUnknown(inputs["couponCode"]) ? undefined : charge
  // A coupon lowers the first charge only. A new contract renews automatically.
  const renewalPrice = (minor(charge) + minor(discount)) / minor(1)
  return present({ chargeAmount, renewalPrice, billingCycle, currency, autoRenew: true })
}

/** Approves inputs that a policy pack has changed since `check`: the preview shows the new charge, or fails. */
const approveAgain = async (session: Session, planned: PlannedPurchase): Promise<void> => {
  const reasons = (await session.wallet.planPurchase(planned)).map((failure) => failure.reason)
  if (reasons.length > 0) throw new UserError(`${planned.name} cannot be bought: ${reasons.join("; ")}.`)
}
