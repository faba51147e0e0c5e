/** Checks the inputs before anything happens: their types, impossible changes, data loss, and the wallet. */
import type { Instance } from "#contract/Instance"
import { isUnknown, nameOf, present, type Properties, same } from "../definition/Properties.ts"
import { type CheckFailure, type CheckResult, validateInputs } from "../definition/Validation.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { purchaseKey } from "../purchase/PurchaseKey.ts"
import type { PlannedPurchase } from "../purchase/Quotes.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, generationOf, INSTANCE, type InstanceInputs } from "./Definition.ts"
import { previewResize } from "./reconcile/ResizePreview.ts"
import { refusedReplay } from "./Replay.ts"
import { adoptedIdChanged, dataLoss, describePlan } from "./state/Messages.ts"

type Failures = ReadonlyArray<CheckFailure>

export const checkInstance = async (
  session: Session,
  olds: Properties | undefined,
  news: Properties
): Promise<CheckResult> => {
  const inputs = { ...present(news), __purchaseKey: keyFor(session, olds, news) }
  const failures = validateInputs(INSTANCE, news)
  if (failures.length > 0) return { inputs, failures }
  session.plannedUrns.add(String(news["__urn"]))
  return {
    inputs,
    failures: olds === undefined ? await checkCreate(session, inputs) : await checkUpdate(session, olds, inputs)
  }
}

/** The key does not change with the same generation: renaming a resource with an alias buys nothing. */
const keyFor = (session: Session, olds: Properties | undefined, news: Properties): unknown => {
  const generation = generationOf(news)
  if (olds?.["__purchaseKey"] !== undefined && generationOf(olds) === generation) return olds["__purchaseKey"]
  return purchaseKey({ scope: session.settings.idempotencyScope, urn: String(news["__urn"]), generation })
}

/** The purchase that the wallet approves. */
export const plannedPurchase = (inputs: InstanceInputs): PlannedPurchase => ({
  key: inputs.__purchaseKey,
  name: nameOf(inputs.__urn),
  serviceId: inputs.serviceId,
  couponCode: inputs.couponCode,
  maxCharge: inputs.maxCharge
})

const checkCreate = async (session: Session, inputs: Properties): Promise<Failures> => {
  // An adoption costs nothing.
  if (inputs["adoptInstanceId"] !== undefined) return []
  const priced = [inputs["serviceId"], inputs["couponCode"], inputs["maxCharge"]]
  if (priced.some(isUnknown)) return []
  const canBuy = await session.preflight("vps:create", "buying an instance")
  const planned = plannedPurchase(asInputs(inputs))
  // An unavailable list is no reason to fail here: the purchase itself requires it.
  const earlier = await session.purchases.find(planned.key).catch(() => undefined)
  // A dry run needs the same scope: without it, it would only repeat the warning for each instance.
  if (earlier === undefined) return canBuy ? await session.wallet.planPurchase(planned) : []
  const reason = refusedReplay(earlier, inputs, session.host.now())
  if (reason !== undefined) return [{ property: "", reason }]
  session.wallet.alreadyBought(planned, `instance ${earlier.id} on ${earlier.created_at}`)
  return await checkReplay(session, earlier, inputs)
}

/** The instance exists: another plan means a resize, another operating system a reinstall. */
const checkReplay = async (session: Session, instance: Instance, inputs: Properties): Promise<Failures> => [
  ...(differsFrom(instance.order.service_id, inputs["serviceId"]) ? await checkResize(session, instance, inputs) : []),
  ...checkReinstall(instance, inputs, false)
]

/** True when a wanted value is known and differs. */
const differsFrom = (is: unknown, wanted: unknown): boolean =>
  is !== undefined && wanted !== undefined && !isUnknown(wanted) && is !== wanted

const checkResize = async (session: Session, instance: Instance, news: Properties): Promise<Failures> => {
  const { __urn, maxCharge, serviceId } = asInputs(news)
  if (isUnknown(maxCharge)) return []
  return await previewResize(session, {
    name: nameOf(__urn),
    id: instance.id,
    from: describePlan(instance),
    serviceId,
    maxCharge
  })
}

const checkReinstall = (instance: Instance, news: Properties, triggered: boolean): Failures => {
  const { allowDataLoss, os: to } = news
  const from = installedDetails(instance).os ?? orderedDetails(instance).os
  const other = differsFrom(from, to)
  if (allowDataLoss === true || isUnknown(allowDataLoss) || !(other || triggered)) return []
  const { id, ipv4 } = instance
  const reason = dataLoss({
    id,
    hostname: installedDetails(instance).hostname,
    ipv4,
    from: other ? from : undefined,
    to
  })
  return [{ property: other ? "os" : "reinstallTriggers", reason }]
}

/**
 * Sends no request unless plan, operating system or triggers changed. The inputs in the state may never have been
 * applied (a partial create with another plan), so the instance is observed; where it cannot be found without its id,
 * `diff` checks the same.
 */
const checkUpdate = async (session: Session, olds: Properties, news: Properties): Promise<Failures> => {
  if (isUnknown(news["generation"]) || generationOf(olds) !== generationOf(news)) {
    return news["adoptInstanceId"] === undefined ? [] : [{
      property: "generation",
      reason: "a new generation buys a new instance, but adoptInstanceId adopts an existing one. Remove adoptInstanceId"
    }]
  }
  const differs = (name: string): boolean =>
    news[name] !== undefined && !isUnknown(news[name]) && !same(olds[name], news[name])
  if (olds["adoptInstanceId"] !== undefined && differs("adoptInstanceId")) {
    const reason = adoptedIdChanged(Number(olds["adoptInstanceId"]), news["adoptInstanceId"])
    return [{ property: "adoptInstanceId", reason }]
  }
  const triggered = olds["reinstallTriggers"] !== undefined && differs("reinstallTriggers")
  if (!differs("serviceId") && !differs("os") && !triggered) return []
  const instance = await findInstance(session, olds).catch(() => undefined)
  if (instance === undefined) return []
  return [
    ...(differs("serviceId") && differsFrom(instance.order.service_id, news["serviceId"])
      ? await checkResize(session, instance, news)
      : []),
    ...checkReinstall(instance, differs("os") ? news : { ...news, os: undefined }, triggered)
  ]
}

/** The instance of these inputs, found without its id, which `check` does not get. */
const findInstance = (session: Session, olds: Properties): Promise<Instance | undefined> => {
  const { __purchaseKey, adoptInstanceId } = asInputs(olds)
  return adoptInstanceId === undefined ? session.purchases.find(__purchaseKey) : session.api.get(adoptInstanceId)
}
