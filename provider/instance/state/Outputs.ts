/** The outputs of an Instance: the only place where the API's snake_case becomes Pulumi's camelCase. */
import type { Instance } from "#sdk/client/Records"
import { isHidden, present, type Properties, same } from "../../definition/Properties.ts"
import { installedDetails, sameHostname } from "../../purchase/InstanceDetails.ts"
import { INSTANCE_INPUTS, type InstanceInputs, type PowerState } from "../Definition.ts"
import { planInState } from "../PlanName.ts"
import type { LastKnownState } from "./LastKnownState.ts"

/** True when it was adopted rather than bought here. */
export const isAdopted = (outputs: Properties): boolean => outputs["purchaseKey"] === ""

const projectHostname = (instance: Instance, state: LastKnownState): string | undefined => {
  const installed = installedDetails(instance).hostname
  return installed === undefined || sameHostname(installed, state.hostname) ? state.hostname : installed
}

/** undefined: in transition, or not ours to switch. */
const projectPowerState = (status: string): PowerState | undefined => {
  if (status === "stopped") return "off"
  return status === "running" || status === "rescue" ? "running" : undefined
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
  const outputs = present({
    ...inputs,
    // The engine writes the whole state after each step, so fields that follow from others are not stored.
    __purchaseKey: inputs.__purchaseKey === state.purchaseKey ? undefined : inputs.__purchaseKey,
    __epoch: state.revision === instance.created_at ? undefined : state.revision,
    __service: state.place,
    __interrupted: state.interrupted,
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
    powerState: inputs.powerState && (projectPowerState(instance.status) ?? inputs.powerState),
    bootMode: inputs.bootMode && state.bootMode,
    isoId: state.isoId,
    iso: inputs.iso && state.iso,
    reinstallTriggers: state.reinstallTriggers,
    passwordRotation: state.passwordRotation,
    purchaseKey: state.purchaseKey ?? "",
    chargeAmount: state.chargeAmount,
    currency: state.currency,
    ...projectApiFields(instance)
  })
  const { __declared: _, ...rest } = outputs
  return same(declared.toSorted(), [...declaredInputs(rest)].toSorted()) ? rest : { ...rest, __declared: declared }
}

/** The fields that the API returns as they are. */
const projectApiFields = (instance: Instance): Properties => {
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
  }
}

/** The recurring charge of an existing instance. */
export const renewalOf = ({ service }: Instance["order"]): Properties => ({
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
