/** Creating: the server that this name bought before, the one that the program takes over, or a new one. */
import type { CreateInstance } from "#contract/Instance"
import { findTask } from "../waiting/ActivityFeed.ts"
import { explain, isRefusal, sentence, statusOf, UserError } from "../api/Errors.ts"
import { nameOf, present, type Properties } from "../definition/Properties.ts"
import type { CreateResult } from "../api/Api.ts"
import type { Session } from "../session/Session.ts"
import { generationOf, type InstanceInputs } from "./Definition.ts"
import { plannedPurchase } from "./Check.ts"
import type { LastKnownState } from "./state/LastKnownState.ts"
import { adoptionMismatch, refunded } from "./state/Messages.ts"
import { chargedFor, installedDetails, orderedDetails, sshFingerprint } from "../purchase/InstanceDetails.ts"
import { refusedReplay } from "./Replay.ts"
import { reconcile } from "./reconcile/Reconcile.ts"

/** Answers the id and outputs. Once money has moved, every failure is a PartialCreateError that carries the id. */
export const createInstance = async (
  session: Session,
  inputs: InstanceInputs
): Promise<{ id: string; outputs: Properties }> => {
  const adopted = inputs.adoptInstanceId !== undefined
  const result = adopted ? await adopt(session, inputs, inputs.adoptInstanceId) : await purchase(session, inputs)
  const { instance } = result
  retainInstance(session, inputs, instance.id)
  const outputs = await session.mutex.run(String(instance.id), async () => {
    const state = await initialState(session, inputs, result)
    const power = adopted ? "as it is" : "on"
    return await reconcile(session, { inputs, instance, state, previous: { state, power }, phase: "create" })
  })
  return { id: String(instance.id), outputs }
}

/**
 * Takes the server for this resource. A renamed resource keeps its purchase, so a new one under the old name finds the
 * same server; two resources must never share one.
 */
const retainInstance = (session: Session, inputs: InstanceInputs, id: number): void => {
  const keeper = session.retainedBy(String(id))
  if (keeper !== undefined && keeper !== inputs.__urn) {
    throw new UserError(
      `${nameOf(inputs.__urn)}: server ${id} is held by ${nameOf(keeper)} of this stack. Nothing was charged; `
        + `generation: ${generationOf({ ...inputs }) + 1} buys another server.`
    )
  }
  session.retain(String(id), inputs.__urn)
}

const purchase = async (session: Session, inputs: InstanceInputs): Promise<CreateResult> => {
  const name = nameOf(inputs.__urn)
  const planned = plannedPurchase(inputs)
  const earlier = await session.purchases.find(inputs.__purchaseKey)
  if (earlier === undefined) await session.wallet.guard(planned)
  await session.host.checkpoint()
  const purchase: CreateResult = earlier === undefined
    ? await placeOrder(session, inputs, name)
    : { instance: earlier, replayed: true, mismatch: [] }
  if (purchase.replayed) acceptReplay(session, inputs, purchase, name)
  else if (purchase.instance.status === "failed") {
    throw new UserError(`${name}: ${refunded(purchase.instance.id, { ...inputs })}.`)
  }
  return purchase
}

const placeOrder = async (session: Session, inputs: InstanceInputs, name: string): Promise<CreateResult> => {
  try {
    return await session.api.create(body(inputs), inputs.__purchaseKey)
  } catch (error) {
    const outcome = isRefusal(error)
      ? "Nothing was bought and nothing charged."
      : "Whether it was bought is not known; `pulumi up` finds out and never buys it twice."
    throw new UserError(`${name}: ${sentence(explain(error))} ${outcome}`, { cause: error })
  }
}

const body = (inputs: InstanceInputs): CreateInstance =>
  present({
    service_id: inputs.serviceId,
    hostname: inputs.hostname,
    os: inputs.os,
    ssh_pubkey: inputs.sshPublicKey,
    root_password: inputs.rootPassword,
    coupon_code: inputs.couponCode
  }) as unknown as CreateInstance

/** Judges what this name bought before. @throws UserError when it can't be ours to go on with. */
const acceptReplay = (session: Session, inputs: InstanceInputs, purchase: CreateResult, name: string): void => {
  const { instance, mismatch } = purchase
  const { created_at: purchasedState, id } = instance
  const refusal = refusedReplay(instance, { ...inputs }, session.host.now())
  if (refusal !== undefined) throw new UserError(`${name}: ${refusal}.`)
  session.host.info(
    `${name}: server ${id} was bought on ${purchasedState} by an earlier run; going on with it, nothing is charged`
  )
  if (mismatch.includes("root_password")) {
    session.host.warn(`${name}: server ${id} was bought with another rootPassword, and that one is installed`)
  }
}

const adopt = async (session: Session, inputs: InstanceInputs, id: number): Promise<CreateResult> => {
  const name = nameOf(inputs.__urn)
  const instance = await session.api.get(id).catch(async (error: unknown) => {
    if (statusOf(error) !== 404) throw error
    const { account_id, email } = await session.account()
    throw new UserError(
      `${name}: there is no server ${id} in account ${account_id} (${email}); adoptInstanceId takes existing ones.`
    )
  })
  const os = installedDetails(instance).os
  const refusal = instance.order.service_id !== inputs.serviceId
    ? adoptionMismatch(instance, "plan", instance.order.service_id, inputs.serviceId)
    : inputs.os !== undefined && os !== undefined && os !== inputs.os
    ? adoptionMismatch(instance, "system", os, inputs.os)
    : undefined
  if (refusal !== undefined) throw new UserError(`${name}: ${refusal}.`)
  session.host.info(`${name}: taking over server ${id}; nothing is charged`)
  return { instance, replayed: true, mismatch: [] }
}

/** What is known of the server beyond what the API reads back. */
const initialState = async (
  session: Session,
  inputs: InstanceInputs,
  purchase: CreateResult
): Promise<LastKnownState> => {
  const { instance } = purchase
  // The instance does not say its currency; a dry run of its plan does, and is asked once per plan.
  const price = await session.wallet.priceOf(plannedPurchase(inputs))
  const { passwordRotation, reinstallTriggers } = inputs
  // What is given first is only taken note of: nothing is rotated or reinstalled for it.
  const common = { passwordRotation, reinstallTriggers, currency: price?.currency, revision: instance.created_at }
  if (inputs.adoptInstanceId === undefined) {
    const charged = purchase.replayed ? undefined : price?.charge_amount
    return { ...common, ...bought(inputs, purchase, charged), ...await changedSincePurchase(session, inputs, purchase) }
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

/** What was ordered is no longer what is installed, when the server was reinstalled or given another password since. */
const changedSincePurchase = async (
  session: Session,
  inputs: InstanceInputs,
  purchase: CreateResult
): Promise<LastKnownState> => {
  const { rootPassword, sshPublicKey } = inputs
  if (!purchase.replayed || (rootPassword ?? sshPublicKey) === undefined) return {}
  const since = (...types: ReadonlyArray<string>) =>
    findTask(session, purchase.instance.id, 0, ({ status, type }) => types.includes(type) && status === "succeeded")
  if (await since("reinstall") !== undefined) {
    return { rootPassword: undefined, sshPublicKey: undefined, pendingSshKey: sshPublicKey }
  }
  return await since("reset_password") === undefined ? {} : { rootPassword: undefined }
}

/** `charged`: what was said to be charged for a purchase of now. */
const bought = (inputs: InstanceInputs, purchase: CreateResult, charged: number | undefined): LastKnownState => {
  const { instance, mismatch, replayed } = purchase
  const installed = installedDetails(instance)
  const ordered = orderedDetails(instance)
  return {
    hostname: installed.hostname ?? ordered.hostname ?? (replayed ? undefined : inputs.hostname),
    os: installed.os ?? ordered.os ?? inputs.os,
    ...sshKeyState(inputs, purchase),
    rootPassword: mismatch.includes("root_password") ? undefined : inputs.rootPassword,
    bootMode: replayed || inputs.bootMode === undefined ? undefined : "disk",
    purchaseKey: inputs.__purchaseKey,
    chargeAmount: charged ?? chargedFor(instance)
  }
}

/** Was the server installed with the key that the program gives now? If not, that one waits for a reinstall. */
const sshKeyState = (
  { sshPublicKey }: InstanceInputs,
  { instance, mismatch, replayed }: CreateResult
): LastKnownState => {
  if (sshPublicKey === undefined) return {}
  const { keyDigest, sshKeyFingerprint } = orderedDetails(instance)
  const shown = keyDigest !== undefined
  const other = replayed && (mismatch.includes("ssh_pubkey")
    || (shown && sshKeyFingerprint !== sshFingerprint(sshPublicKey)))
  return other ? { pendingSshKey: sshPublicKey } : { sshPublicKey }
}
