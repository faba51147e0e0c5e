/** Checks the inputs before anything happens: their types, impossible changes, data loss, and the wallet. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isUnknown, nameOf, present, type Properties, same } from "../definition/Properties.ts"
import { type CheckFailure, type CheckResult, validateInputs } from "../definition/Definition.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { purchaseKey } from "../purchase/PurchaseKey.ts"
import type { Session } from "../session/Session.ts"
import { findAdoptable, otherHolder, refusedReplay } from "./Create.ts"
import { asInputs, generationOf, INSTANCE, type InstanceInputs } from "./Definition.ts"
import { plannedPurchase } from "./Diff.ts"
import { withPlan } from "./PlanName.ts"
import { refusedChanges } from "./reconcile/UpdatePreview.ts"
import { warnOfRename } from "./Rename.ts"
import { adoptedByOther, heldByOther } from "./state/Messages.ts"
import { toOutputs } from "./state/Outputs.ts"

type Failures = ReadonlyArray<CheckFailure>

export const checkInstance = async (
  session: Session,
  olds: Properties | undefined,
  given: Properties
): Promise<CheckResult> => {
  const news = withGeneration(session, given)
  const inputs = { ...present(news), __purchaseKey: keyFor(session, olds, news) }
  const failures = validateInputs(INSTANCE, news, session.words)
  if (failures.length > 0) return { inputs, failures }
  session.plannedUrns.add(String(news["__urn"]))
  if (olds !== undefined) session.keysInState.set(String(news["__urn"]), olds["__purchaseKey"])
  return await withPlan(
    session,
    olds,
    inputs,
    (named) => olds === undefined ? checkCreate(session, named) : checkUpdate(session, olds, named)
  )
}

/** The configuration has the generations of resources whose program makes them in a loop. */
const withGeneration = ({ settings }: Session, news: Properties): Properties => {
  const { adoptInstanceId, generation } = present(news)
  const configured = settings.generations.get(nameOf(news["__urn"]))
  return configured === undefined || generation !== undefined || adoptInstanceId !== undefined
    ? news
    : { ...news, generation: configured }
}

/** No purchase has it. */
const UNKNOWN_GENERATION = 0

/** The key does not change with the same generation: renaming a resource with an alias buys nothing. */
const keyFor = (session: Session, olds: Properties | undefined, news: Properties): unknown => {
  const generation = generationOf(news)
  const continued = session.continued.get(String(news["__urn"]))
  if (continued !== undefined) return continued.key
  if (olds?.["__purchaseKey"] !== undefined && generationOf(olds) === generation) return olds["__purchaseKey"]
  return purchaseKey({
    scope: session.settings.idempotencyScope,
    urn: String(news["__urn"]),
    // In a preview it may be any purchase of the name, so it must not be taken for the first one.
    generation: olds === undefined && isUnknown(news["generation"]) ? UNKNOWN_GENERATION : generation,
    prefix: session.words.prefix
  })
}

/** These decide whether something is bought, and for which price. */
const DECISIVE = ["serviceId", "generation", "adoptInstanceId"]

const checkCreate = async (session: Session, inputs: Properties): Promise<Failures> => {
  const { __urn } = asInputs(inputs)
  const unknown = DECISIVE.filter((name) => isUnknown(inputs[name]))
  if (inputs["adoptInstanceId"] !== undefined && !unknown.includes("adoptInstanceId")) {
    return await checkAdoption(session, asInputs(inputs))
  }
  const canBuy = await session.preflight("vps:create", "buying an instance")
  const planned = plannedPurchase(asInputs(inputs))
  // An unavailable list is no reason to fail here: the purchase itself requires it.
  const earlier = unknown.includes("generation") || unknown.includes("adoptInstanceId")
    ? undefined
    : await session.purchases.find(planned.key).catch(() => undefined)
  if (earlier !== undefined) return await checkReplay(session, earlier, inputs)
  await warnOfRename(session, asInputs(inputs))
  const isPriced = unknown.every((name) => name === "generation")
  if (!isPriced) {
    const shown = unknown.map((name) => name === "serviceId" && isUnknown(inputs["plan"]) ? "plan" : name)
    session.wallet.announceUnknown(nameOf(__urn), shown, planned.maxCharge)
    return []
  }
  // A dry run needs the same scope: without it, it would only repeat the warning for each instance.
  return canBuy ? await session.wallet.planPurchase(planned) : []
}

const checkAdoption = async (session: Session, inputs: InstanceInputs): Promise<Failures> => {
  const id = Number(inputs.adoptInstanceId)
  const listed = async () => (await session.instanceList.all()).get(id) ?? await session.api.get(id)
  await findAdoptable(session, inputs, id, listed)
  const other = otherHolder(session, id, inputs.__urn)
  return other === undefined ? [] : [{ property: "adoptInstanceId", reason: adoptedByOther(session.words, id, other) }]
}

/** This name has bought an instance that is not in the state. */
const checkReplay = async (session: Session, instance: Instance, inputs: Properties): Promise<Failures> => {
  const planned = plannedPurchase(asInputs(inputs))
  const other = otherHolder(session, instance.id, asInputs(inputs).__urn)
  const reason = other === undefined
    ? await refusedReplay(session, instance, asInputs(inputs))
    : heldByOther(session.words, instance.id, other, planned.generation)
  if (reason !== undefined) return [{ property: "", reason }]
  if (!session.continued.has(asInputs(inputs).__urn)) {
    session.wallet.alreadyBought(planned, `instance ${instance.id} on ${instance.created_at}`)
  }
  return await checkChanges(session, instance, inputs, inputs)
}

/** Another plan means a resize, another operating system a reinstall. `olds`: the applied inputs. */
const checkChanges = (session: Session, instance: Instance, olds: Properties, news: Properties): Promise<Failures> => {
  const { hostname, os } = { ...orderedDetails(instance), ...present({ ...installedDetails(instance) }) }
  const { reinstallTriggers } = asInputs(olds)
  const outputs = toOutputs(asInputs(olds), instance, { hostname, os, reinstallTriggers })
  return refusedChanges(session, instance.id, outputs, news)
}

/**
 * Sends no request unless plan, operating system or triggers changed. The inputs in the state may never have been
 * applied (a partial create with another plan), so the instance is observed; where it cannot be found without its id,
 * `diff` checks the same.
 */
const checkUpdate = async (session: Session, olds: Properties, news: Properties): Promise<Failures> => {
  if (isUnknown(news["generation"]) || generationOf(olds) !== generationOf(news)) {
    const adopted = session.words.input("adoptInstanceId")
    return news["adoptInstanceId"] === undefined ? [] : [{
      property: "generation",
      reason: `a new generation buys a new instance, but ${adopted} adopts an existing one. Remove ${adopted}`
    }]
  }
  const isSame = ["serviceId", "os", "reinstallTriggers"].every((name) => same(olds[name], news[name]))
  const instance = isSame ? undefined : await findInstance(session, olds).catch(() => undefined)
  return instance === undefined ? [] : await checkChanges(session, instance, olds, news)
}

/** The instance of these inputs, found without its id, which `check` does not get. */
const findInstance = (session: Session, olds: Properties): Promise<Instance | undefined> => {
  const { __purchaseKey, adoptInstanceId } = asInputs(olds)
  return adoptInstanceId === undefined ? session.purchases.find(__purchaseKey) : session.api.get(adoptInstanceId)
}
