/** Sentences of several steps; each names the instance, what happened, what it cost and what to do. */
import type { Instance } from "#sdk/client/Records"
import type { Properties } from "../../definition/Properties.ts"
import { formatAmount } from "../../purchase/Money.ts"
import { autoRenewAdvice } from "../../api/Api.ts"
import { generationOf } from "../Definition.ts"

export const describePlan = ({ order }: Instance): string => `${order.service_id} (${order.service.name})`

/** An adoption changes neither plan nor disk: a wrong number must not cost money or data. */
export const adoptionMismatch = (instance: Instance, what: "plan" | "system", is: unknown, wanted: unknown): string => {
  const [now, input] = what === "plan"
    ? [`is on plan ${describePlan(instance)}, but the program has plan`, `serviceId: ${String(is)}`]
    : [`runs ${String(is)}, but the program has`, `os: "${String(is)}"`]
  return `instance ${instance.id} ${now} ${String(wanted)}. It was not adopted: an instance is adopted unchanged. `
    + `Set ${input}, and change it in a later update`
}

export interface Reinstall {
  readonly id: number
  /** The name and the address, as far as known. */
  readonly hostname: unknown
  readonly ipv4: unknown
  /** undefined: the triggers request it. */
  readonly from: unknown
  readonly to: unknown
}

export const ALLOW_DATA_LOSS = "Set allowDataLoss: true to allow it (snapshotBefore takes a snapshot first)"

/** The data that would be lost, and the two ways to continue. */
export const dataLoss = ({ from, hostname, id, ipv4, to }: Reinstall): string => {
  const names = [hostname, ipv4].filter((name) => typeof name === "string").join(", ")
  const [cause, instead] = from === undefined
    ? ["reinstallTriggers", "restore the previous reinstallTriggers"]
    : [`os from ${String(from)} to ${String(to)}`, `set os: "${String(from)}"`]
  return `changing ${cause} reinstalls instance ${id}${
    names === "" ? "" : ` (${names})`
  }, which deletes everything on its `
    + `disk. ${ALLOW_DATA_LOSS}, or ${instead} to keep the data`
}

/** For a resource that adopts it. */
export const adoptedByOther = (id: number, other: string): string =>
  `instance ${id} is already managed by ${other} in this stack. Remove adoptInstanceId`

/** For a resource that found the instance by its purchase. */
export const heldByOther = (id: number, other: string, generation: number): string =>
  `instance ${id}, which this name bought, is already managed by ${other} in this stack. Nothing was charged. `
  + `Set generation: ${generation + 1} to buy another instance`

export const adoptedIdChanged = (id: number, wanted: unknown): string =>
  `this resource manages instance ${id}, which adoptInstanceId: ${String(wanted)} would replace. `
  + `Adopt instance ${String(wanted)} in another resource`

/** An adopted instance belongs to no generation. */
export const buyAnother = (inputs: Properties): string =>
  `${inputs["adoptInstanceId"] === undefined ? "Set" : "Remove adoptInstanceId and set"} generation: ${
    generationOf(inputs) + 1
  } to buy another one`

export const refunded = (id: number, inputs: Properties): string =>
  `instance ${id} could not be provisioned, and the purchase was refunded. ${buyAnother(inputs)}`

export const notFound = (id: number): string =>
  `instance ${id} no longer exists. Run \`pulumi refresh\` to remove it from the state; the next \`pulumi up\` buys a `
  + "new one"

/** The charges of an instance that continue, from the state or the service. */
export const continuingCharges = (id: number, outputs: Properties, panel: string | undefined): string => {
  const { autoRenew, billingCycle, currency, expiresAt, renewalPrice } = outputs
  const price = typeof renewalPrice === "number"
    ? formatAmount(renewalPrice, typeof currency === "string" ? currency : undefined)
    : "its price"
  const until = `The API cannot end a contract: it is paid until ${String(expiresAt)} (expires_at)`
  return autoRenew === false
    ? `${until} and does not renew (auto_renew is off).`
    : `${until} and then renews for ${price} ${String(billingCycle)}. To end the charges, ${
      autoRenewAdvice("off", id, panel)
    }.`
}

/** `charge` is like "6.99 EUR". */
export const priceRaised = (charge: string): string =>
  `the charge is ${charge} now, more than the preview showed. Nothing was bought or charged. Run \`pulumi up\` again `
  + "to see the new charge, and approve it"
