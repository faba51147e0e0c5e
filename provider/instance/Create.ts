/** Creates an Instance: continues with the instance that this name bought before, adopts one, or buys a new one. */
import type { CreateResult } from "../api/Api.ts"
import { isDocumentedStatus } from "@pulumi-vps/sdk/client/host/Statuses"
import { explain, isRefusal, raisedChargeOf, sentence, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, type Properties } from "../definition/Properties.ts"
import { chargedFor, installedDetails, orderedDetails, sshFingerprint } from "../purchase/InstanceDetails.ts"
import type { Session } from "../session/Session.ts"
import { findTask } from "../waiting/ActivityFeed.ts"
import { generationOf, type InstanceInputs } from "./Definition.ts"
import { sessionFacts } from "./Delete.ts"
import { orderBody, plannedPurchase } from "./Diff.ts"
import { reconcile } from "./reconcile/Reconcile.ts"
import type { Words } from "../HostWords.ts"
import type { LastKnownState } from "./state/Outputs.ts"
import { adoptedByOther, adoptionMismatch, buyAnother, heldByOther, priceRaised, refunded } from "./state/Messages.ts"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { oneOfFleet } from "../purchase/Messages.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { refusedHolder } from "./Rename.ts"

// Adopting an existing instance with `adoptInstanceId`: it is adopted unchanged, or not at all.

/** @throws UserError when the account has no such instance, or when it differs from the inputs. */
export const findAdoptable = async (
  session: Session,
  inputs: InstanceInputs,
  id: number,
  find: (id: number) => Promise<Instance>
): Promise<Instance> => {
  const name = nameOf(inputs.__urn)
  const instance = await find(id).catch((error: unknown) =>
    session.failNotFound(error, name, id, `. Set ${session.words.input("adoptInstanceId")} to an existing instance.`)
  )
  const refusal = refusedAdoption(session.words, instance, inputs)
  if (refusal !== undefined) throw new UserError(`${name}: ${refusal}.`)
  return instance
}

const refusedAdoption = (
  words: Words,
  instance: Instance,
  { os: wanted, serviceId }: InstanceInputs
): string | undefined => {
  const { id, order, status } = instance
  if (status === "failed" || status === "deleted") return `instance ${id} is ${status}. It was not adopted`
  if (!isUnknown(serviceId) && order.service_id !== serviceId) {
    return adoptionMismatch(words, instance, "plan", order.service_id, serviceId)
  }
  const { os } = installedDetails(instance)
  const differs = os !== undefined && wanted !== undefined && !isUnknown(wanted) && os !== wanted
  return differs ? adoptionMismatch(words, instance, "system", os, wanted) : undefined
}

/** The name of another resource of this stack that has the instance; the first resource that claims it has it. */
export const otherHolder = (session: Session, id: number | string, urn: string): string | undefined => {
  const other = session.claim(`instance ${id}`, urn)
  return other === undefined ? undefined : nameOf(other)
}

// Decides whether an earlier purchase under the same name can be continued.

/** The reason why the instance that this name bought before cannot be continued; undefined when it can. */
export const refusedReplay = async (
  session: Session,
  instance: Instance,
  inputs: InstanceInputs
): Promise<string | undefined> => {
  const { created_at: bought, id, status } = instance
  const properties = { ...inputs }
  const { words } = session
  const [name, next] = [nameOf(inputs.__urn), generationOf(properties) + 1]
  if (status === "failed") return refunded(words, id, properties)
  if (status === "deleted") {
    return `this name bought instance ${id} on ${bought}, which was deleted since. ${buyAnother(words, properties)}`
      + oneOfFleet(words, name, next)
  }
  if (session.continued.has(inputs.__urn)) return undefined
  const isRecent = session.host.now() - Date.parse(bought) <= RETRY_WINDOW
  if (isRecent || session.hasNamedPurchases) return await refusedHolder(session, instance, inputs)
  if (session.keysInState.get(inputs.__urn) === inputs.__purchaseKey) {
    const { cause, remedy } = words.replacement
    return `no changed input replaces instance ${id}, bought on ${bought}, but ${cause}. An instance is changed, never `
      + `replaced. ${remedy}. ${buyAnother(words, properties)}. Nothing was charged`
  }
  return `this name already bought instance ${id} on ${bought}. Set ${
    words.assign("adoptInstanceId", id)
  } to adopt it, `
    + `or ${words.assign("generation", next)} to buy another one${oneOfFleet(words, name, next)}. Nothing was charged`
}

/** @throws PartialCreateError with the id for every failure after the purchase. */
export const createInstance = async (
  session: Session,
  inputs: InstanceInputs
): Promise<{ id: string; outputs: Properties }> => {
  const { adoptInstanceId } = inputs
  const isAdopted = adoptInstanceId !== undefined
  const result = isAdopted ? await adopt(session, inputs, adoptInstanceId) : await purchase(session, inputs)
  const { instance } = result
  retainInstance(session, inputs, instance.id)
  const outputs = await session.mutex.run(String(instance.id), async () => {
    const state = await initialState(session, inputs, result)
    const previous = { state, power: isAdopted ? "as it is" : "on" } as const
    return await reconcile(session, { inputs, instance, state, previous, phase: "create" })
  })
  return { id: String(instance.id), outputs }
}

/** Two resources must never share an instance: a new one can find that of a renamed one by its old name. */
const retainInstance = (session: Session, inputs: InstanceInputs, id: number): void => {
  const other = otherHolder(session, id, inputs.__urn)
  if (other !== undefined) {
    const generation = generationOf({ ...inputs })
    const reason = inputs.adoptInstanceId === undefined
      ? heldByOther(session.words, id, other, generation)
      : adoptedByOther(session.words, id, other)
    throw new UserError(`${nameOf(inputs.__urn)}: ${reason}.`)
  }
  session.retain(String(id), inputs.__urn)
}

const purchase = async (session: Session, inputs: InstanceInputs): Promise<CreateResult> => {
  const name = nameOf(inputs.__urn)
  const planned = plannedPurchase(inputs)
  const earlier = await session.purchases.find(inputs.__purchaseKey)
  if (earlier === undefined) await session.wallet.guard(planned)
  await session.host.checkpoint()
  const result: CreateResult = earlier === undefined
    ? await placeOrder(session, inputs, name)
    : { instance: earlier, replayed: true, mismatch: [] }
  if (result.replayed) await acceptReplay(session, inputs, result, name)
  else if (result.instance.status === "failed") {
    throw new UserError(`${name}: ${refunded(session.words, result.instance.id, { ...inputs })}.`)
  }
  return result
}

/** ms; by this clock, which may be wrong by some seconds. */
const NEW = 60_000

/**
 * The specification shows that a key returns the instance that it bought, but not how a response says so. It shows that
 * a new instance is not deployed yet: one that is, and is not new, was bought by an earlier request.
 */
const withReplay = (session: Session, result: CreateResult): CreateResult => {
  const { instance, replayed } = result
  const isOld = Boolean(instance.provider_id) && session.host.now() - Date.parse(instance.created_at) > NEW
  return { ...result, replayed: replayed || isOld }
}

const placeOrder = async (session: Session, inputs: InstanceInputs, name: string): Promise<CreateResult> => {
  try {
    return await session.wallet.order(
      plannedPurchase(inputs),
      async (limit) => withReplay(session, await session.api.create(orderBody(inputs), inputs.__purchaseKey, limit))
    )
  } catch (error) {
    const raised = raisedChargeOf(error)
    if (raised !== undefined) throw new UserError(`${name}: ${priceRaised(session.words, raised)}`, error)
    const { update } = session.words
    const outcome = isRefusal(error)
      ? "Nothing was bought or charged."
      : `The outcome is unknown. Run ${update} again: it looks for the purchase first and never buys twice.`
    throw new UserError(`${name}: ${sentence(explain(error))} ${outcome}`, error)
  }
}

/** @throws UserError when the earlier purchase cannot be continued. */
const acceptReplay = async (
  session: Session,
  inputs: InstanceInputs,
  { instance, mismatch }: CreateResult,
  name: string
): Promise<void> => {
  const { created_at: bought, id } = instance
  const refusal = await refusedReplay(session, instance, inputs)
  if (refusal !== undefined) throw new UserError(`${name}: ${refusal}.`)
  session.host.info(
    `${name}: instance ${id} was bought on ${bought} by an earlier run; continuing with it, nothing is charged`
  )
  if (mismatch.includes("root_password")) {
    const input = session.words.input("rootPassword")
    session.host.warn(`${name}: instance ${id} was bought with another ${input}, which is the installed one`)
  }
}

const adopt = async (session: Session, inputs: InstanceInputs, id: number): Promise<CreateResult> => {
  const instance = await findAdoptable(session, inputs, id, (wanted) => session.api.get(wanted))
  session.host.info(`${nameOf(inputs.__urn)}: adopting instance ${id}; nothing is charged`)
  return { instance, replayed: true, mismatch: [] }
}

/** The facts about the instance that the API does not return. */
const initialState = async (
  session: Session,
  inputs: InstanceInputs,
  result: CreateResult
): Promise<LastKnownState> => {
  const { instance } = result
  // The instance does not show its currency; a dry run of its plan does, and is cached per plan.
  const order = inputs.adoptInstanceId === undefined ? orderBody(inputs) : { service_id: inputs.serviceId }
  const price = await session.wallet.priceOf(order)
  const { passwordRotation, reinstallTriggers } = inputs
  // The first values are only recorded: nothing is rotated or reinstalled for them.
  const common = {
    passwordRotation,
    reinstallTriggers,
    currency: price?.currency,
    revision: instance.created_at,
    ...sessionFacts(session, { ...inputs }, inputs.adoptInstanceId === undefined ? inputs.__purchaseKey : "")
  }
  if (inputs.adoptInstanceId === undefined) {
    const charged = result.replayed ? undefined : chargedFor(instance) ?? price?.charge_amount
    // An earlier destroy may have powered off what is deployed already, which only a documented status says.
    const isEarlier = result.replayed || Boolean(instance.provider_id)
    const isOff = isEarlier && !isDocumentedStatus(instance.status) ? true as const : undefined
    const state = { ...common, ...purchasedState(inputs, result, charged), isOff }
    return { ...state, ...await changedSince(session, inputs, result) }
  }
  const installed = installedDetails(instance)
  return {
    ...common,
    hostname: installed.hostname ?? inputs.hostname,
    os: installed.os ?? inputs.os,
    sshPublicKey: inputs.sshPublicKey,
    purchaseKey: ""
  }
}

/** A reinstall or a password reset since the purchase overwrites what the order installed. */
const changedSince = async (
  session: Session,
  inputs: InstanceInputs,
  { instance, replayed }: CreateResult
): Promise<LastKnownState> => {
  const { rootPassword, sshPublicKey } = inputs
  if (!replayed || (rootPassword ?? sshPublicKey) === undefined) return {}
  const succeeded = (type: string) =>
    findTask(session, instance.id, 0, (task) => task.type === type && task.status === "succeeded")
  if (await succeeded("reinstall") !== undefined) {
    return { rootPassword: undefined, sshPublicKey: undefined, pendingSshKey: sshPublicKey }
  }
  return await succeeded("reset_password") === undefined ? {} : { rootPassword: undefined }
}

/** `charged`: the charge of a purchase that was made now. */
const purchasedState = (
  inputs: InstanceInputs,
  result: CreateResult,
  charged: number | undefined
): LastKnownState => {
  const { instance, mismatch, replayed } = result
  const installed = installedDetails(instance)
  const ordered = orderedDetails(instance)
  return {
    hostname: installed.hostname ?? ordered.hostname ?? (replayed ? undefined : inputs.hostname),
    os: installed.os ?? ordered.os ?? inputs.os,
    ...sshKeyState(inputs, result),
    rootPassword: mismatch.includes("root_password") ? undefined : inputs.rootPassword,
    bootMode: replayed || inputs.bootMode === undefined ? undefined : "disk",
    purchaseKey: inputs.__purchaseKey,
    chargeAmount: charged ?? chargedFor(instance)
  }
}

/** A key other than the one that the instance was installed with waits for a reinstall. */
const sshKeyState = (
  { sshPublicKey }: InstanceInputs,
  { instance, mismatch, replayed }: CreateResult
): LastKnownState => {
  if (sshPublicKey === undefined) return {}
  const { keyDigest, sshKeyFingerprint } = orderedDetails(instance)
  const showsDetails = keyDigest !== undefined
  const isOther = replayed && (mismatch.includes("ssh_pubkey")
    || (showsDetails && sshKeyFingerprint !== sshFingerprint(sshPublicKey)))
  return isOther ? { pendingSshKey: sshPublicKey } : { sshPublicKey }
}
