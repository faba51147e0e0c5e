/** Sentences of several steps; each names the instance, what happened, what it cost and what to do. */
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { Properties } from "../../definition/Properties.ts"
import { formatAmount } from "../../purchase/Money.ts"
import { autoRenewAdvice } from "../../purchase/AutoRenewAdvice.ts"
import { generationOf } from "../Definition.ts"
import type { Words } from "../../HostWords.ts"

export const describePlan = ({ order }: Instance): string => `${order.service_id} (${order.service.name})`

/** An adoption changes neither plan nor disk: a wrong number must not cost money or data. */
export const adoptionMismatch = (
  { assign, program }: Words,
  instance: Instance,
  what: "plan" | "system",
  is: unknown,
  wanted: unknown
): string => {
  const [now, input] = what === "plan"
    ? [`is on plan ${describePlan(instance)}, but the ${program} has plan`, assign("serviceId", String(is))]
    : [`runs ${String(is)}, but the ${program} has`, assign("os", `"${String(is)}"`)]
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

export const allowDataLoss = ({ assign, input }: Words): string =>
  `Set ${assign("allowDataLoss", true)} to allow it (${input("snapshotBefore")} takes a snapshot first)`

/** The data that would be lost, and the two ways to continue. */
export const dataLoss = (words: Words, { from, hostname, id, ipv4, to }: Reinstall): string => {
  const triggers = words.input("reinstallTriggers")
  const names = [hostname, ipv4].filter((name) => typeof name === "string").join(", ")
  const [cause, instead] = from === undefined
    ? [triggers, `restore the previous ${triggers}`]
    : [`os from ${String(from)} to ${String(to)}`, `set ${words.assign("os", `"${String(from)}"`)}`]
  return `changing ${cause} reinstalls instance ${id}${
    names === "" ? "" : ` (${names})`
  }, which deletes everything on its `
    + `disk. ${allowDataLoss(words)}, or ${instead} to keep the data`
}

/** For a resource that adopts it. */
export const adoptedByOther = ({ input, stack }: Words, id: number, other: string): string =>
  `instance ${id} is already managed by ${other} in this ${stack}. Remove ${input("adoptInstanceId")}`

/** For a resource that found the instance by its purchase. */
export const heldByOther = ({ assign, stack }: Words, id: number, other: string, generation: number): string =>
  `instance ${id}, which this name bought, is already managed by ${other} in this ${stack}. Nothing was charged. `
  + `Set ${assign("generation", generation + 1)} to buy another instance`

/** Terraform's: the plan gives an instance the name of another one that is still there. */
export const nameHasInstance = (name: string, id: string, before: string, holder: number): string =>
  `${name}: instance ${id}, bought as ${before}, takes the name and the settings of ${name}, although ${name} has `
  + `bought another instance, ${holder}, which is still there. A list with count identifies its elements by their `
  + "position: use for_each with the names as keys, or move them with `moved` blocks"

export const adoptedIdChanged = ({ assign }: Words, id: number, wanted: unknown): string =>
  `this resource manages instance ${id}, which ${assign("adoptInstanceId", String(wanted))} would replace. `
  + `Adopt instance ${String(wanted)} in another resource`

/** An adopted instance belongs to no generation. */
export const buyAnother = ({ assign, input }: Words, inputs: Properties): string => {
  const set = inputs["adoptInstanceId"] === undefined ? "Set" : `Remove ${input("adoptInstanceId")} and set`
  return `${set} ${assign("generation", generationOf(inputs) + 1)} to buy another one`
}

export const refunded = (words: Words, id: number, inputs: Properties): string =>
  `instance ${id} could not be provisioned, and the purchase was refunded. ${buyAnother(words, inputs)}`

export const notFound = ({ refresh, update }: Words, id: number): string =>
  `instance ${id} no longer exists. Run ${refresh} to remove it from the state; the next ${update} buys a new one`

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
export const priceRaised = ({ update }: Words, charge: string): string =>
  `the charge is ${charge} now, more than the preview showed. Nothing was bought or charged. Run ${update} again to `
  + "see the new charge, and approve it"
