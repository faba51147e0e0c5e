/** Judging the inputs before anything happens: form, what can't be changed yet, and the wallet. */
import { problemsOf } from "../Fields.ts"
import type { Checked, CheckFailure } from "../Checked.ts"
import { isUnknown, nameOf, present, type Properties, same } from "../Properties.ts"
import type { Session } from "../Session.ts"
import { asInputs, generationOf, type InstanceInputs } from "./Args.ts"
import { INSTANCE } from "./Definition.ts"
import { otherOs, otherPlan, otherServer } from "./Messages.ts"
import { installedOn, orderedOf } from "./Order.ts"
import { purchaseKey } from "./PurchaseKey.ts"
import { refusedReplay } from "./Replay.ts"
import type { PlannedPurchase } from "./Wallet.ts"

export const checkInstance = async (
  session: Session,
  olds: Properties | undefined,
  news: Properties
): Promise<Checked> => {
  const inputs = { ...present(news), __purchaseKey: keyFor(session, olds, news) }
  const failures = problemsOf(INSTANCE, news)
  if (failures.length > 0) return { inputs, failures }
  return {
    inputs,
    failures: olds === undefined ? await newcomer(session, inputs) : await changed(session, olds, inputs)
  }
}

/** The key stays what it was while the generation does: renaming a resource with an alias buys nothing. */
const keyFor = (session: Session, olds: Properties | undefined, news: Properties): unknown => {
  const generation = generationOf(news)
  if (olds?.["__purchaseKey"] !== undefined && generationOf(olds) === generation) return olds["__purchaseKey"]
  return purchaseKey({ scope: session.settings.idempotencyScope, urn: String(news["__urn"]), generation })
}

/** What the wallet is asked about. */
export const plannedPurchase = (inputs: InstanceInputs): PlannedPurchase => ({
  key: inputs.__purchaseKey,
  name: nameOf(inputs.__urn),
  serviceId: inputs.serviceId,
  couponCode: inputs.couponCode,
  maxCharge: inputs.maxCharge
})

const newcomer = async (session: Session, inputs: Properties): Promise<ReadonlyArray<CheckFailure>> => {
  const priced = [inputs["serviceId"], inputs["couponCode"], inputs["maxCharge"], inputs["adoptInstanceId"]]
  // Taking over an instance costs nothing.
  if (priced.some(isUnknown) || inputs["adoptInstanceId"] !== undefined) return []
  const planned = plannedPurchase(asInputs(inputs))
  // A list that can't be had is no reason to fail here: the purchase itself insists on it.
  const earlier = await session.purchases.find(planned.key).catch(() => undefined)
  if (earlier === undefined) return await session.wallet.plan(planned)
  const reason = refusedReplay(earlier, inputs, session.host.now())
  if (reason !== undefined) return [{ property: "", reason }]
  return session.wallet.alreadyBought(planned, `server ${earlier.id} on ${earlier.created_at}`)
}

/**
 * A changed plan or system can't be carried out yet. The inputs in state may themselves be ones that never came true
 * (a partial create with another plan), so the server is asked before a change is refused; where it can't be found
 * from here, `diff` knows more and refuses.
 */
const changed = async (
  session: Session,
  olds: Properties,
  news: Properties
): Promise<ReadonlyArray<CheckFailure>> => {
  if (isUnknown(news["generation"]) || generationOf(olds) !== generationOf(news)) {
    return news["adoptInstanceId"] === undefined ? [] : [{
      property: "generation",
      reason: "a new generation buys a new server, and adoptInstanceId takes an existing one: remove adoptInstanceId"
    }]
  }
  const differs = (name: string): boolean =>
    news[name] !== undefined && !isUnknown(news[name]) && !same(olds[name], news[name])
  if (olds["adoptInstanceId"] !== undefined && differs("adoptInstanceId")) {
    const reason = otherServer(Number(olds["adoptInstanceId"]), news["adoptInstanceId"])
    return [{ property: "adoptInstanceId", reason }]
  }
  return differs("serviceId") || differs("os") ? await impossible(session, olds, news, differs) : []
}

const impossible = async (
  session: Session,
  olds: Properties,
  news: Properties,
  differs: (name: string) => boolean
): Promise<ReadonlyArray<CheckFailure>> => {
  const instance = await bearer(session, olds).catch(() => undefined)
  if (instance === undefined) return []
  const os = installedOn(instance).os ?? orderedOf(instance).os
  return [
    ...(differs("serviceId") && instance.order.service_id !== news["serviceId"]
      ? [{ property: "serviceId", reason: otherPlan(instance, news["serviceId"]) }]
      : []),
    ...(differs("os") && os !== undefined && os !== news["os"]
      ? [{ property: "os", reason: otherOs(instance.id, os, news["os"]) }]
      : [])
  ]
}

/** The server that these inputs stand for, found without its id: `check` is not given one. */
const bearer = (session: Session, olds: Properties) => {
  const { __purchaseKey, adoptInstanceId } = asInputs(olds)
  return adoptInstanceId === undefined ? session.purchases.find(__purchaseKey) : session.api.get(adoptInstanceId)
}
