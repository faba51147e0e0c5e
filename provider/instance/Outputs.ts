/** The outputs of an Instance: the one place where the API's snake_case becomes Pulumi's camelCase. */
import type { Instance } from "#contract/Instance"
import { isHidden, present, type Properties } from "../Properties.ts"
import type { InstanceInputs } from "./Args.ts"
import { INSTANCE_INPUTS } from "./Definition.ts"
import { installedOn } from "./Order.ts"

/**
 * What the API does not read back, or not always. It lives in state only; undefined is "not known", never "none".
 */
export interface Known {
  readonly hostname?: string | undefined
  readonly os?: string | undefined
  /** The key that the system was installed with. */
  readonly sshPublicKey?: string | undefined
  /** A key that waits for the next reinstall. */
  readonly pendingSshKey?: string | undefined
  /** Empty for an instance that was taken over by its id. */
  readonly purchaseKey?: string | undefined
  readonly chargeAmount?: number | undefined
  readonly currency?: string | undefined
}

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const knownFrom = (outputs: Properties): Known => ({
  hostname: asText(outputs["hostname"]),
  os: asText(outputs["os"]),
  sshPublicKey: asText(outputs["sshPublicKey"]),
  pendingSshKey: asText(outputs["pendingSshKey"]),
  purchaseKey: asText(outputs["purchaseKey"]),
  chargeAmount: typeof outputs["chargeAmount"] === "number" ? outputs["chargeAmount"] : undefined,
  currency: asText(outputs["currency"])
})

/** The account that owns the instance, as state holds it. */
export const ownerOf = (outputs: Properties): number | undefined =>
  typeof outputs["userId"] === "number" ? outputs["userId"] : undefined

/** Was it taken over by its id, rather than bought by us? */
export const isAdopted = (outputs: Properties): boolean => outputs["purchaseKey"] === ""

/** Host names are the same in any case; keeping the program's spelling keeps diffs quiet. */
export const sameHostname = (left: string | undefined, right: string | undefined): boolean =>
  left?.toLowerCase() === right?.toLowerCase()

const observedHostname = (instance: Instance, known: Known): string | undefined => {
  const installed = installedOn(instance).hostname
  return installed === undefined || sameHostname(installed, known.hostname) ? known.hostname : installed
}

/** Outputs hold the inputs too: the dynamic host's `read` and `delete` are given nothing else. */
export const toOutputs = (inputs: InstanceInputs, instance: Instance, known: Known): Properties => {
  const { order } = instance
  const price = order.service.pricing?.charge_amount ?? order.service.price
  return present({
    ...inputs,
    __declared: Object.keys(present({ ...inputs })).filter((name) => !isHidden(name)),
    serviceId: order.service_id,
    hostname: observedHostname(instance, known),
    os: installedOn(instance).os ?? known.os,
    sshPublicKey: known.sshPublicKey,
    pendingSshKey: known.pendingSshKey,
    purchaseKey: known.purchaseKey ?? "",
    userId: instance.user_id,
    orderId: instance.order_id,
    status: instance.status,
    suspendedReason: instance.suspended_reason,
    providerId: instance.provider_id,
    ipv4: instance.ipv4,
    autoRenew: instance.auto_renew ?? true,
    expiresAt: instance.expires_at,
    createdAt: instance.created_at,
    chargeAmount: known.chargeAmount,
    renewalPrice: price,
    billingCycle: order.service.billing_cycle,
    currency: known.currency
  })
}

/** The names of the inputs that the program gave; `read` must not invent others, or they would show as removed. */
export const declaredIn = (outputs: Properties): ReadonlyArray<string> => {
  const declared = outputs["__declared"]
  return Array.isArray(declared) ? declared.map(String) : Object.keys(INSTANCE_INPUTS)
}

/** The inputs that would lead to these outputs: what `read` answers, so that drift shows in the next preview. */
export const toInputs = (outputs: Properties): Properties => {
  const declared = declaredIn(outputs)
  const fields = Object.keys(INSTANCE_INPUTS).filter((name) => declared.includes(name))
  return present({
    ...Object.fromEntries(fields.map((name) => [name, outputs[name]])),
    ...(declared.includes("sshPublicKey") ? { sshPublicKey: outputs["pendingSshKey"] ?? outputs["sshPublicKey"] } : {}),
    __urn: outputs["__urn"],
    __purchaseKey: outputs["__purchaseKey"]
  })
}
