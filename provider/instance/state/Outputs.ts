/** The outputs of an Instance: the only place where the API's snake_case becomes Pulumi's camelCase. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { isHidden, present, type Properties, same } from "../../definition/Properties.ts"
import { installedDetails, sameHostname } from "../../purchase/InstanceDetails.ts"
import type { OutputValues } from "../../definition/Definition.ts"
import { type BootMode, type INSTANCE, INSTANCE_INPUTS, type InstanceInputs, type PowerState } from "../Definition.ts"
import { isDocumentedStatus } from "@pulumi-vps/sdk/client/host/Statuses"
import { planInState } from "../PlanName.ts"

// The facts about an instance that only the state has, because the API does not return them, or not always.

/** undefined means "unknown" or "not managed", never "none". */
export interface LastKnownState {
  readonly hostname?: string | undefined
  readonly os?: string | undefined
  /** The installed SSH key. */
  readonly sshPublicKey?: string | undefined
  /** The SSH key that the next reinstall will install. */
  readonly pendingSshKey?: string | undefined
  /** The current root password; a secret. */
  readonly rootPassword?: string | undefined
  /** The last observed one. */
  readonly bootMode?: BootMode | undefined
  /** The last observed image in the virtual drive. */
  readonly isoId?: number | undefined
  /** Its name, if the program sets it by name. */
  readonly iso?: string | undefined
  /** The triggers at the last reinstall. */
  readonly reinstallTriggers?: ReadonlyArray<unknown> | undefined
  /** The last applied one. */
  readonly passwordRotation?: string | undefined
  /** Empty for an adopted instance. */
  readonly purchaseKey?: string | undefined
  readonly chargeAmount?: number | undefined
  readonly currency?: string | undefined
  /** The service and the key: see `placeOf`. */
  readonly place?: string | undefined
  /** The effect of destroying it. */
  readonly afterDestroy?: string | undefined
  /** Identifies the next update: see `RequestIds.ts`. */
  readonly revision?: string | undefined
  /** At a host whose statuses are words that are not known here: the one after a stop, if it differed from before. */
  readonly offStatus?: string | undefined
  /** At such a host: this resource has powered the instance off last, and not on again. */
  readonly isOff?: true | undefined
  /** Steps of an update that was cut off and then refreshed, so that the outputs no longer differ: see `read`. */
  readonly interrupted?: ReadonlyArray<InterruptedStep> | undefined
}

export type InterruptedStep = "stop" | "reinstall"

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const lastKnownState = (outputs: Properties): LastKnownState => ({
  hostname: asText(outputs["hostname"]),
  os: asText(outputs["os"]),
  sshPublicKey: asText(outputs["sshPublicKey"]),
  pendingSshKey: asText(outputs["pendingSshKey"]),
  rootPassword: asText(outputs["rootPassword"]),
  bootMode: asText(outputs["bootMode"]) as BootMode | undefined,
  isoId: asNumber(outputs["isoId"]),
  iso: asText(outputs["iso"]),
  reinstallTriggers: Array.isArray(outputs["reinstallTriggers"]) ? outputs["reinstallTriggers"] : undefined,
  passwordRotation: asText(outputs["passwordRotation"]),
  purchaseKey: asText(outputs["purchaseKey"]),
  chargeAmount: asNumber(outputs["chargeAmount"]),
  currency: asText(outputs["currency"]),
  place: asText(outputs["__service"]),
  afterDestroy: asText(outputs["afterDestroy"]),
  // States of earlier versions have none: their first revision is the purchase.
  revision: asText(outputs["__epoch"]) ?? asText(outputs["createdAt"]),
  offStatus: asText(outputs["__offStatus"]),
  isOff: outputs["__off"] === true ? true : undefined,
  interrupted: Array.isArray(outputs["__interrupted"]) ? outputs["__interrupted"] : undefined
})

/** True when it was adopted rather than bought here. */
export const isAdopted = (outputs: Properties): boolean => outputs["purchaseKey"] === ""

const projectHostname = (instance: Instance, state: LastKnownState): string | undefined => {
  const installed = installedDetails(instance).hostname
  return installed === undefined || sameHostname(installed, state.hostname) ? state.hostname : installed
}

/** undefined: in transition, not ours to switch, or a word that says nothing about it. */
const projectPowerState = (status: string, { isOff, offStatus }: LastKnownState): PowerState | undefined => {
  if (status === "stopped" || status === offStatus || (offStatus === undefined && isOff === true)) return "off"
  return (offStatus !== undefined && !isDocumentedStatus(status)) || status === "running" || status === "rescue"
    ? "running"
    : undefined
}

/**
 * Outputs contain the inputs, too: the dynamic host's `read` and `delete` get nothing else. A requested change that is
 * not applied yet shows the old value, so that the next run sees the difference.
 */
export const toOutputs = (
  inputs: InstanceInputs,
  instance: Instance,
  state: LastKnownState,
  declared: ReadonlyArray<string> = Object.keys(present({ ...inputs })).filter((name) => !isHidden(name))
): Properties => {
  const { order } = instance
  const { rootPassword } = inputs
  const outputs = present(
    {
      ...inputs,
      // The engine writes the whole state after each step, so fields that follow from others are not stored.
      __purchaseKey: inputs.__purchaseKey === state.purchaseKey ? undefined : inputs.__purchaseKey,
      __epoch: state.revision === instance.created_at ? undefined : state.revision,
      __service: state.place,
      __interrupted: state.interrupted,
      __offStatus: state.offStatus,
      __off: state.isOff,
      afterDestroy: state.afterDestroy,
      __rootPassword: rootPassword === state.rootPassword ? undefined : rootPassword,
      // The inputs record them.
      __plan: undefined,
      __planId: undefined,
      serviceId: order.service_id,
      plan: order.service.slug,
      hostname: projectHostname(instance, state),
      os: installedDetails(instance).os ?? state.os,
      sshPublicKey: state.sshPublicKey,
      pendingSshKey: state.pendingSshKey,
      rootPassword: state.rootPassword,
      powerState: inputs.powerState && (projectPowerState(instance.status, state) ?? inputs.powerState),
      bootMode: inputs.bootMode && state.bootMode,
      isoId: state.isoId,
      iso: inputs.iso && state.iso,
      reinstallTriggers: state.reinstallTriggers,
      passwordRotation: state.passwordRotation,
      purchaseKey: state.purchaseKey ?? "",
      chargeAmount: state.chargeAmount,
      currency: state.currency,
      ...projectApiFields(instance)
    } satisfies OutputValues<typeof INSTANCE>
  )
  const { __declared: _, ...rest } = outputs
  return same(declared.toSorted(), [...declaredInputs(rest)].toSorted()) ? rest : { ...rest, __declared: declared }
}

/** The fields that the API returns as they are. */
export const projectApiFields = (instance: Instance) => {
  const { order } = instance
  return {
    userId: instance.user_id,
    orderId: instance.order_id,
    status: instance.status,
    suspendedReason: instance.suspended_reason,
    providerId: instance.provider_id,
    ipv4: instance.ipv4,
    ipv6: installedDetails(instance).ipv6,
    autoRenew: instance.auto_renew ?? true,
    expiresAt: instance.expires_at,
    createdAt: instance.created_at,
    ...renewalOf(order)
  } satisfies Properties
}

/** The recurring charge of an existing instance. */
export const renewalOf = ({ service }: Instance["order"]) => ({
  renewalPrice: service.pricing?.charge_amount ?? service.price,
  billingCycle: service.billing_cycle
})

/**
 * The names of the program's inputs; `read` must not return others, or they would show as removed. They are stored only
 * when the outputs show an input that the program does not have.
 */
export const declaredInputs = (outputs: Properties): ReadonlyArray<string> => {
  const declared = outputs["__declared"]
  if (Array.isArray(declared)) return declared.map(String)
  return Object.keys(INSTANCE_INPUTS).filter((name) => {
    const isNamed = name === "isoId" && outputs["iso"] !== undefined
    // Every instance shows the slug of its plan.
    return name !== "plan" && !isNamed && inputFrom(name, outputs) !== undefined
  })
}

/** The stored fields that follow from others. */
export const storedExtras = ({ __declared, __epoch, __purchaseKey }: Properties): Properties =>
  present({ __declared, __epoch, __purchaseKey })

/** The program's value of an input, according to the outputs: a pending one is stored under another name. */
export const inputFrom = (name: string, outputs: Properties): unknown => {
  if (name === "sshPublicKey") return outputs["pendingSshKey"] ?? outputs["sshPublicKey"]
  if (name === "rootPassword") return outputs["__rootPassword"] ?? outputs["rootPassword"]
  return outputs[name]
}

/** The inputs that would lead to these outputs: `read` returns them, so that drift shows in the next preview. */
export const toInputs = (outputs: Properties): Properties => {
  const declared = declaredInputs(outputs)
  const fields = Object.keys(INSTANCE_INPUTS).filter((name) => declared.includes(name))
  const { plan, serviceId } = outputs
  return present({
    ...Object.fromEntries(fields.map((name) => [name, inputFrom(name, outputs)])),
    ...(declared.includes("plan") ? planInState(plan, serviceId) : {}),
    __urn: outputs["__urn"],
    __purchaseKey: outputs["__purchaseKey"] ?? outputs["purchaseKey"]
  })
}
